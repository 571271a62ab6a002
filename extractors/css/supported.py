"""Properties Chromium knows besides the ones computed here: all ``@supports`` needs."""

from __future__ import annotations

_PROPERTIES_NAMES = """
    accent-color align-content align-items align-self animation animation-name appearance
    aspect-ratio backdrop-filter backface-visibility background-attachment background-blend-mode
    background-clip background-origin background-position background-repeat background-size
    border-image border-spacing box-shadow caption-side caret-color clip clip-path color-scheme
    column-count column-gap columns content cursor filter flex flex-basis flex-grow flex-shrink
    font-feature-settings font-variant gap grid grid-area grid-column grid-row grid-template
    grid-template-areas grid-template-columns grid-template-rows hyphens image-rendering isolation
    justify-content justify-items justify-self mask mask-image mix-blend-mode object-fit
    object-position order outline overflow-wrap perspective place-content place-items pointer-events
    quotes resize row-gap scroll-behavior scroll-snap-type tab-size table-layout
    text-decoration-color text-decoration-style text-overflow text-shadow text-size-adjust
    touch-action transform transform-origin transform-style transition unicode-bidi user-select
    will-change word-break word-wrap writing-mode z-index zoom -webkit-animation -webkit-appearance
    -webkit-backface-visibility -webkit-background-clip -webkit-background-size -webkit-box-orient
    -webkit-box-shadow -webkit-clip-path -webkit-filter -webkit-flex -webkit-font-smoothing
    -webkit-hyphens -webkit-line-clamp -webkit-mask -webkit-mask-image -webkit-perspective
    -webkit-print-color-adjust -webkit-tap-highlight-color -webkit-text-fill-color
    -webkit-text-size-adjust -webkit-text-stroke -webkit-transform -webkit-transition
    -webkit-user-select
"""
PROPERTIES = frozenset(_PROPERTIES_NAMES.split())
