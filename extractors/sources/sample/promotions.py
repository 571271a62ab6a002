"""Campaigns that ask for something: welcome, sale, digest, launch and the like."""

from __future__ import annotations

from extractors.sources.sample.blocks import Email
from extractors.sources.sample.people import day, first_name, full_name
from extractors.sources.sample.studio import Studio


def welcome(studio: Studio) -> Email:
    dice, voice, brand = studio.dice, studio.voice, studio.brand
    headline, text = dice.pick(voice.welcome)
    name = first_name(dice)
    studio.header()
    action = dice.pick(("Get started", "Look around", "Start here"))
    studio.hero(headline, text, action, eyebrow=f"Hello, {name}", art=dice.below(9))
    studio.title(dice.pick(("Three good places to begin", "What you can count on", "How we do things")))
    studio.points(voice.perks[:3])
    studio.title(dice.pick(("People start with these", "A first look", "Popular right now")))
    studio.products(dice.sample(voice.products, 2), 2, dice.pick(("View", "Find out more")))
    coupon = f"HELLO{dice.between(10, 20)}" if dice.chance(0.5) else ""
    thanks = f"Thank you for joining {brand.name}, {name}. If you ever have a question, just reply to this email."
    studio.text([thanks, "A real person reads every one of them."], coupon=coupon, sign=voice.person, surface="tint")
    studio.footer(f"You are receiving this because you signed up on {day(dice)}.")
    return studio.email(f"Welcome to {brand.name}, {name}", text)


def sale(studio: Studio) -> Email:
    dice, voice = studio.dice, studio.voice
    headline, text = dice.pick(voice.sale)
    code = f"{dice.pick(('SPRING', 'THANKS', 'SUNNY', 'FRIENDS'))}{dice.pick((10, 15, 20, 25))}"
    studio.header()
    studio.hero(headline, text, dice.pick(("Shop the sale", "See the offers")), coupon=code, surface="accent")
    studio.title(dice.pick(("Going quickly", "Our picks", "Worth a look")), f"Prices shown before code {code}.")
    columns = dice.pick((2, 3))
    studio.products(dice.sample(voice.products, 4 if columns == 2 else 3), columns, "Shop now")
    end = day(dice)
    studio.text(
        [f"The sale ends on {end} at midnight. Use code {code} at the checkout; one per order."],
        "The small print, in large print",
        "Shop everything",
        surface="tint",
    )
    studio.footer("You are receiving this because you asked for our offers.")
    return studio.email(f"{headline} · ends {end}", text)


def digest(studio: Studio) -> Email:
    dice, voice, brand = studio.dice, studio.voice, studio.brand
    stories = dice.sample(voice.stories, 5)
    lead, rest = stories[0], stories[1:]
    issue = dice.between(12, 480)
    studio.header()
    studio.hero(lead.headline, lead.teaser, "Read the story", eyebrow=f"Issue {issue}", art=lead.number)
    more = dice.pick(("Also in this issue", "More to read", "Worth ten minutes"))
    if dice.chance(0.5):
        studio.title(more)
        studio.stories(rest[: 2 * (len(rest) // 2)], 2, "Read on")
    else:
        studio.title(more, surface="tint")
        for i, story in enumerate(rest[: dice.between(2, 4)]):
            studio.media("story", story.number, story.headline, story.teaser, "Read on", "left" if i % 2 else "right")
    studio.text([f"“{rest[-1].teaser}”"], sign=f"From “{rest[-1].headline}”", surface="tint")
    studio.footer(f"You are receiving the {brand.name} digest, issue {issue}.")
    return studio.email(f"{lead.headline} | No. {issue}", lead.teaser)


def products(studio: Studio) -> Email:
    dice, voice = studio.dice, studio.voice
    chosen = dice.sample(voice.products, 6)
    columns = dice.pick((2, 3))
    studio.header()
    heading = dice.pick(("New this week", "Chosen for you", "What people are loving", "Just arrived"))
    studio.hero(heading, f"{voice.tagline}. Here is what stood out, from {chosen[0].name} onwards.", "See all new")
    studio.title(dice.pick(("The selection", "Have a look", "Our favourites")))
    studio.products(
        chosen[: columns * (len(chosen) // columns)], columns, dice.pick(("View", "Details", "Take a look"))
    )
    title, text = dice.pick(voice.perks)
    studio.text([text], title, "Find out more", lesser=True, surface="tint")
    studio.footer("You are receiving this because you asked for news.")
    return studio.email(f"{heading}: {chosen[0].name} and more", chosen[0].blurb)


def launch(studio: Studio) -> Email:
    dice, voice = studio.dice, studio.voice
    product = dice.pick(voice.products)
    studio.header()
    studio.hero(f"Meet {product.name}", product.blurb, "Be the first", eyebrow="New today", art=10 + product.number)
    studio.text(
        [
            f"We have been working on {product.name} for {dice.between(5, 26)} months, through "
            f"{dice.between(3, 19)} versions that were almost right.",
            "This one is right.",
        ],
        dice.pick(("Why we made it", "The story so far")),
        link="Read the whole story",
    )
    for i, (title, text) in enumerate(dice.sample(voice.perks, 2)):
        studio.media("detail", product.number * 3 + i, title, text, "", "right" if i % 2 else "left")
    studio.text(
        [f"{product.name} can be yours from {day(dice)}. The first hundred come with a note from the team."],
        "Ready when you are",
        "Order yours",
        surface="dark",
    )
    studio.footer("You are receiving this because you asked for news.")
    return studio.email(f"Introducing {product.name}", product.blurb)


def event(studio: Studio) -> Email:
    dice, voice = studio.dice, studio.voice
    what = dice.pick(voice.events)
    when, hour = day(dice), dice.between(5, 8)
    studio.header()
    studio.hero(what.title, what.blurb, "Save my seat", eyebrow="You are invited", art=20 + dice.below(5))
    weekday, date, month = when.split()
    studio.stats(
        [(f"{date} {month[:3]}", weekday), (f"{hour} pm", "Doors open"), (f"{dice.between(12, 90)}", "Places")]
    )
    online = what.place.startswith("Online")
    studio.text(
        [f"{what.title}: {what.place}. Come alone or bring a friend; there is room for both."],
        "How to join" if online else "Where to find us",
        "Add to calendar" if online else "Get directions",
        lesser=True,
        surface="tint",
    )
    studio.title("While you are here")
    studio.products(dice.sample(voice.products, 3), 3, "Find out more")
    studio.footer("You are receiving this because you like our events.")
    return studio.email(f"{what.title}, {when}", f"{what.place}. {what.blurb}")


def webinar(studio: Studio) -> Email:
    dice, voice = studio.dice, studio.voice
    what = dice.pick(voice.events)
    when, hour = day(dice), dice.between(9, 17)
    hosts = [(full_name(dice), dice.pick(("Host", "Guest", "Moderator"))) for _ in range(2)]
    studio.header(nav=False)
    studio.hero(what.title, what.blurb, "Register for free", eyebrow=f"Live online · {when}")
    studio.ledger(
        [
            (f"{hour}:00", "Welcome and a short introduction"),
            (f"{hour}:10", what.blurb),
            (f"{hour}:35", "Your questions, answered live"),
            (f"{hour}:45", "What to try next"),
        ],
        "What to expect",
        total=False,
    )
    studio.stats(hosts, "Who is speaking")
    studio.text(
        ["Cannot make it? Register anyway and we will send the recording the next morning."],
        action="Send me the recording",
        lesser=True,
        surface="tint",
    )
    studio.footer("You are receiving this because you asked to hear about our sessions.")
    return studio.email(f"Live on {when}: {what.title}", what.blurb)


def anniversary(studio: Studio) -> Email:
    dice, voice, brand = studio.dice, studio.voice, studio.brand
    years, name = dice.between(1, 9), first_name(dice)
    plural = "year" if years == 1 else "years"
    studio.header()
    studio.hero(
        f"{years} {plural} together, {name}",
        f"Thank you for {years} {plural} with {brand.name}. We looked back, and it made us smile.",
        "See your year",
        surface="brand",
        art=30 + years,
    )
    studio.stats(
        [
            (f"{dice.between(3, 60)}", dice.pick(("Orders", "Visits", "Sessions"))),
            (f"{dice.between(2, 14)}", "Friends invited"),
            (f"{dice.between(100, 900)}", "Points earned"),
        ]
    )
    studio.title("A little thank-you")
    studio.products(dice.sample(voice.products, 2), 2, "Choose this")
    studio.text([f"Pick one before {day(dice)} and it is on its way."], sign=voice.person, surface="tint")
    studio.footer("You are receiving this because you have been with us a while.")
    return studio.email(
        f"{name}, it's our {years}-{plural[:4]} anniversary", f"Thank you from all of us at {brand.name}."
    )


def referral(studio: Studio) -> Email:
    dice, voice, brand = studio.dice, studio.voice, studio.brand
    amount, name = dice.pick((5, 10, 15, 20)), first_name(dice)
    code = f"{name.upper()}{dice.between(100, 999)}"
    studio.header()
    studio.hero(
        f"Give {amount}, get {amount}", f"Know someone who would like {brand.name}? Send them your code.", coupon=code
    )
    studio.title("How it works")
    studio.points(
        [
            ("Share", "Send your code to as many friends as you like."),
            ("They save", f"They get {amount} off their first order."),
            ("You save", f"You get {amount} off your next one."),
        ]
    )
    studio.text(
        [f"Your code, {code}, works until {day(dice)}."], action="Share my code", link="Terms apply.", surface="tint"
    )
    studio.footer("You are receiving this because you are a customer.")
    return studio.email(f"{name}, give {amount} and get {amount}", voice.tagline)


def win_back(studio: Studio) -> Email:
    dice, voice, brand = studio.dice, studio.voice, studio.brand
    name = first_name(dice)
    code = f"COMEBACK{dice.pick((10, 15, 20))}"
    studio.header()
    studio.hero(
        dice.pick((f"It's been a while, {name}", f"We saved your seat, {name}", f"Still there, {name}?")),
        f"A lot has changed at {brand.name} since we last saw you. The welcome has not.",
        "Come back",
        coupon=code,
        art=40 + dice.below(5),
    )
    studio.title("New since your last visit")
    studio.products(dice.sample(voice.products, 4), 2, "Show me")
    studio.text(
        ["Rather not hear from us? No hard feelings.", "One click and we will be quiet."],
        link="Stop these emails",
        surface="tint",
    )
    studio.footer("You are receiving this because you bought something from us once.")
    return studio.email(f"{name}, here is {code[8:]}% to come back", f"A lot has changed at {brand.name}.")
