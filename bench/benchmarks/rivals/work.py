"""The input of all systems: 50 passages, one question, and the answer that the simulated model writes to it.

Five passages answer the question, five more are about something similar, forty about other things. The answer states
one thing from each of the five and one that none of them says: `PLANTED`, with another number than its source.
"""

import json
import random
from dataclasses import dataclass
from pathlib import Path

QUESTION = "What are the Kestrel robot rules for battery charging, payload, speed, service and storage?"

_ANSWERING = (
    "Battery charging of the Kestrel robot takes place in the charging bay only. A Kestrel robot charges its battery "
    "when less than 20 percent is left, and a full charge takes 95 minutes. The bay holds four robots at a time, and "
    "the fleet software decides which of them goes first. A cable with a damaged plug is handed to the workshop "
    "before the next shift begins, because a warm plug shortens the life of the whole pack.",
    "Payload rules of the Kestrel robot concern weight and balance. The payload of a Kestrel robot is at most 120 "
    "kilograms on a level floor. On ramps it falls to half of that. Boxes are stacked with the heavy ones at the "
    "bottom, and nothing may stand out over the edge of the tray. The scale in the tray refuses to start a trip when "
    "the load sits too far to one side.",
    "Speed rules of the Kestrel robot depend on who is near. The speed of a Kestrel robot is limited to 6 kilometres "
    "per hour where people walk. In closed aisles the fleet software may allow more. A scanner at the front sees a "
    "person at nine metres, slows down first and then stops. Whoever enters a closed aisle presses the yellow button "
    "at its gate, which brings every vehicle in it to a halt.",
    "Service rules of the Kestrel robot follow the hours of work. Service of a Kestrel robot is due every 400 "
    "operating hours and is done by trained staff. Wheels, brakes and scanner glass are looked at, and the log is "
    "read out. Two people sign the sheet. A vehicle whose sheet is late is locked by the fleet software until "
    "somebody with a service key releases it.",
    "Storage rules of the Kestrel robot keep the battery healthy. In storage a Kestrel robot keeps its battery at 50 "
    "percent and is checked every 30 days. The hall should be dry and between 5 and 25 degrees. A robot that stood "
    "for longer than half a year gets a new calibration of its scanner before it drives again. Covers of cloth are "
    "better than those of plastic, which hold the damp.",
)
_NEAR = (
    "The Kestrel robot is delivered on a pallet with a ramp. Two people unpack it, remove the red transport lock and "
    "keep the foam for a return. The first start takes a quarter of an hour, during which the robot finds its "
    "position and asks for the map of the building. The name of the vehicle is written on the plate behind the left "
    "wheel.",
    "The fleet software of the Kestrel robot runs on a server in the building. It needs a wired network and two "
    "gigabytes of memory for each dozen of vehicles. Updates come four times a year and are installed at night. The "
    "screen in the control room shows where every robot is and what it carries.",
    "Training for the Kestrel robot lasts one day. In the morning people learn how the robot sees, in the afternoon "
    "they drive it by hand and clear a blocked aisle. A card with a photograph is given to everybody who passes. It "
    "is valid in all halls of the company and is renewed after three years.",
    "Noise of the Kestrel robot stays below that of a conversation. Three tones tell what it does: one long tone "
    "when it starts, two short ones when it turns, and a rising one when something is in its way. The tones can be "
    "made lower at night, and a light takes their place in halls where people wear ear protection.",
    "Warranty of the Kestrel robot covers motors, scanner and frame. Tyres and covers wear out and are not part of "
    "it. A claim is made with the number of the vehicle and the log of its last week. Parts are sent within a "
    "working day, and the old part goes back in the same box.",
)
_PLACES = "Harbour Museum Library Orchard Bakery Theatre Brewery Glasshouse Quarry Observatory".split()
_MATTERS = (
    "{place} tickets are sold at the southern gate until an hour before closing. Groups of more than ten book by "
    "post and get a guide of their own. On Mondays the rooms with glass are closed for cleaning. Bags that are "
    "larger than a sheet of paper stay in the lockers, whose keys are kept by the porter, and umbrellas go in the "
    "stand.",
    "The {place} was built in {year} by two brothers who had seen something like it abroad. Its roof burned twice "
    "and was made again from the same oak. The clock over the entrance has only one hand, since the second was never "
    "paid for. A plate with the names of the carpenters hangs where visitors seldom look.",
    "Members of the {place} choose a board of five in spring. It meets in the yellow room and writes down what it "
    "decides in a book that everybody may read. Money that is left at the end of the year goes to the repair of "
    "windows. Whoever wants to speak raises a green card and is heard in turn.",
    "Deliveries to the {place} come through the yard before eight in the morning. Lorries turn in front of the old "
    "pump and leave by the lane. Bottles and crates go back the same day. In frost the yard is strewn with sand, "
    "never with salt, for the sake of the lime trees along its wall.",
)

# Each sentence with the start of the passage that it is about.
_DRAFT = (
    ("A Kestrel robot charges its battery when less than 20 percent is left, and a full charge takes 95 minutes", 0),
    ("The payload of a Kestrel robot is at most 120 kilograms on a level floor", 1),
    ("The speed of a Kestrel robot is limited to 6 kilometres per hour where people walk", 2),
    ("Service of a Kestrel robot is due every 900 operating hours and is done by trained staff", 3),
    ("In storage a Kestrel robot keeps its battery at 50 percent and is checked every 30 days", 4),
    ("A robot that stood for longer than half a year gets a new calibration of its scanner before it drives again", 4),
)
PLANTED = _DRAFT[3][0]

RETRIEVED = len(_ANSWERING) + len(_NEAR)
KEPT = len(_ANSWERING)


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence of the answer, without marker and full stop, and the passage that it cites."""

    text: str
    passage: str


DRAFT = tuple(Said(text, _ANSWERING[number]) for text, number in _DRAFT)


def passages() -> list[str]:
    """Return all 50 passages; those that retrieval finds for the question come first, in the order of an imperfect
    retriever."""
    found = [*_ANSWERING, *_NEAR]
    random.Random(31).shuffle(found)
    rng = random.Random(32)
    others = [text.format(place=place, year=rng.randint(1820, 1920)) for place in _PLACES for text in _MATTERS]
    return [*found, *others]


def write_work(path: Path) -> None:
    """Write the input of the rivals' scripts."""
    told = {"question": QUESTION, "passages": passages(), "retrieved": RETRIEVED, "kept": KEPT}
    path.write_text(json.dumps(told), encoding="utf-8")


def named(flagged: list[str]) -> str:
    """Return how a system judged the planted claim, from the sentences that it flagged: `yes`, `no`, or another
    verdict."""
    hits = [_plain(PLANTED) in _plain(text) for text in flagged]
    wrong = len(hits) - sum(hits)
    if not any(hits):
        return f"no, but {wrong} others" if wrong else "no"
    return f"yes, and {wrong} others" if wrong else "yes"


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
