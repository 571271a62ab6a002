"""Messages that follow something the reader did: receipts, resets, deliveries, statements."""

from __future__ import annotations

from extractors.sources.sample.blocks import Email
from extractors.sources.sample.people import cents, currency, day, first_name, full_name, money, street
from extractors.sources.sample.studio import Studio

_REASON = "This is a service message about your account."


def receipt(studio: Studio) -> Email:
    dice, voice, brand = studio.dice, studio.voice, studio.brand
    name, symbol = full_name(dice), currency(voice)
    number = f"{brand.key[:2].upper()}-{dice.between(100000, 999999)}"
    lines, total = [], 0
    for product in dice.sample(voice.products, dice.between(2, 4)):
        quantity = dice.between(1, 2)
        amount = cents(product, dice) * quantity
        total += amount
        lines.append((f"{quantity} × {product.name}", money(symbol, amount)))
    delivery = dice.pick((0, 395, 495))
    lines.append(("Delivery", money(symbol, delivery) if delivery else "Free"))
    lines.append(("Total", money(symbol, total + delivery)))
    studio.header(nav=False)
    studio.hero(
        f"Thank you, {name.split()[0]}",
        f"We have your order {number} and will write again when it leaves us.",
        "View your order",
        surface="paper",
    )
    studio.ledger(lines, f"Order {number}")
    studio.ledger(
        [
            ("Deliver to", f"{name}, {street(dice)}"),
            ("Paid with", f"Card ending {dice.between(1000, 9999)}"),
            ("Ordered on", day(dice)),
        ],
        "Details",
        total=False,
        surface="tint",
    )
    studio.text(["Something not right? Reply within 14 days and we will fix it."], "Need a hand?", link="Contact us")
    studio.footer(_REASON)
    return studio.email(f"Your {brand.name} order {number}", f"Total {money(symbol, total + delivery)}. Thank you.")


def password_reset(studio: Studio) -> Email:
    dice, brand = studio.dice, studio.brand
    name, minutes = first_name(dice), dice.pick((15, 30, 60))
    studio.header(nav=False)
    studio.text(
        [
            f"Hi {name}, someone asked to reset the password of your {brand.name} account.",
            f"If it was you, use the button below within {minutes} minutes.",
        ],
        dice.pick(("Reset your password", "Choose a new password")),
        "Reset password",
    )
    studio.text(
        [f"Not you? Ignore this message; nothing has changed. The request came from {dice.between(2, 9)} km away."],
        link="Secure my account",
        surface="tint",
    )
    studio.footer(_REASON)
    return studio.email(f"Reset your {brand.name} password", f"The link works for {minutes} minutes.")


def shipping(studio: Studio) -> Email:
    dice, voice, brand = studio.dice, studio.voice, studio.brand
    name, when = first_name(dice), day(dice)
    number = f"{brand.key[:2].upper()}{dice.token(9, '0123456789')}"
    studio.header(nav=False)
    studio.hero(
        dice.pick((f"It's on its way, {name}", f"On the move, {name}", f"Good news, {name}: it has left")),
        f"Your parcel left us this morning and should reach you on {when}.",
        "Track my parcel",
    )
    studio.stats([("Packed", "Yesterday"), ("On its way", "Today"), ("With you", when.split(maxsplit=1)[1])])
    items = [(f"1 × {item}", note) for item, note in dice.sample(voice.parcel, 2)]
    studio.ledger([*items, ("Tracking number", number)], "In this parcel", total=False)
    studio.text(
        [f"It is going to {street(dice)}. Not in? Choose a neighbour or another day."],
        action="Change delivery",
        lesser=True,
        surface="tint",
    )
    studio.footer(_REASON)
    return studio.email(f"Your {brand.name} parcel is on its way", f"Arriving {when}. Tracking number {number}.")


def abandoned_cart(studio: Studio) -> Email:
    dice, voice = studio.dice, studio.voice
    chosen = dice.sample(voice.products, dice.between(1, 2))
    studio.header(nav=False)
    studio.text(
        [f"You left {chosen[0].name} behind. We have kept it for you until {day(dice)}."],
        dice.pick(("Still thinking it over?", "Your basket misses you", "Forgot something?")),
        "Return to basket",
    )
    for product in chosen:
        studio.media("product", product.number, product.name, f"{product.blurb} {product.price}.", "View item")
    studio.title("Still deciding?")
    studio.points(voice.perks[:3])
    studio.footer(_REASON)
    return studio.email(f"{chosen[0].name} is still in your basket", chosen[0].blurb)


def summary(studio: Studio) -> Email:
    dice, voice, brand = studio.dice, studio.voice, studio.brand
    symbol = currency(voice)
    amounts = [dice.between(500, 40000) for _ in range(3)]
    month = day(dice).split()[2]
    studio.header(nav=False)
    studio.hero(
        f"Your {month} at {brand.name}",
        f"A short summary for {first_name(dice)}. No action is needed.",
        surface="paper",
    )
    studio.stats(
        [
            (f"{dice.between(2, 48)}", "Days active"),
            (money(symbol, sum(amounts)), "In total"),
            (f"{dice.between(3, 35)}%", "Against last month"),
        ],
        surface="tint",
    )
    labels = [product.name for product in dice.sample(voice.products, 3)]
    lines = [(label, money(symbol, amount)) for label, amount in zip(labels, amounts, strict=True)]
    studio.ledger([*lines, ("Total", money(symbol, sum(amounts)))], "In detail")
    title, text = dice.pick(voice.perks)
    studio.text([text], title, "See the details", lesser=True, surface="tint")
    studio.footer(_REASON)
    return studio.email(f"Your {month} summary", f"{money(symbol, sum(amounts))} in total.")


def survey(studio: Studio) -> Email:
    dice, voice, brand = studio.dice, studio.voice, studio.brand
    name, minutes = first_name(dice), dice.between(2, 5)
    product = dice.pick(voice.products)
    studio.header(nav=False)
    studio.hero(
        dice.pick(("How did we do?", f"Two questions, {name}", "Tell us the truth")),
        f"You recently chose {product.name}. Would you tell us how it went? It takes {minutes} minutes.",
        "Start the survey",
    )
    studio.text(
        [
            "We read every answer and change something every month because of one.",
            f"As a thank-you, one answer in fifty wins {product.name}.",
        ],
        "Why we ask",
        sign=voice.person,
    )
    studio.footer(f"You are receiving this because you are a customer of {brand.name}.")
    return studio.email(f"{name}, how was {product.name}?", f"{minutes} minutes of your time.")
