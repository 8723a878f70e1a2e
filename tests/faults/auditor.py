"""The auditor: what was accepted, what Postgres says, what the provider billed and what the receiver got, compared."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tests.faults.books import Row
from tests.faults.trial import Allowed, Moment, Trial
from tests.simulators.groq.ledger import Entry
from tests.simulators.sink import Received

_FINAL = {"succeeded", "failed", "cancelled"}
# A reply is lost with a process if its call began so long before the process was hit, or so shortly after.
_BEFORE_S, _AFTER_S = 20.0, 8.0


@dataclass
class Verdict:
    """What one fault did. Times are seconds from the fault to the end of what it hit, and until that went on: something
    of it was stored, or, of a document or a message, the next fault found a process at work on it."""

    fault: str
    runs: int = 0
    accepted: int = 0
    lost: int = 0
    duplicated: int = 0
    failed: int = 0
    extra: int = 0
    progress: list[float] = field(default_factory=list[float])
    end: list[float] = field(default_factory=list[float])
    problems: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])

    @property
    def is_good(self) -> bool:
        return not (self.lost or self.duplicated or self.problems)

    def add(self, other: "Verdict") -> None:
        """Take in another run of the same fault."""
        for name in ("runs", "accepted", "lost", "duplicated", "failed", "extra"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("progress", "end", "problems", "notes"):
            getattr(self, name).extend(getattr(other, name))


def audit(trial: Trial) -> Verdict:
    """Compare the books. Everything of the trial must have ended, or it counts as lost."""
    verdict = Verdict(trial.name, runs=len(trial.moments), accepted=len(trial.load.ids) + len(trial.documents))
    verdict.notes += trial.notes
    verdict.problems += trial.problems
    if trial.struck:
        verdict.notes.append(f"under way when it struck: {', '.join(map(str, trial.struck))} questions")
    if not trial.moments:
        verdict.problems.append("the fault never struck")
    rows = trial.rig.books.queries(trial.load.ids)
    _audit_queries(trial, rows, verdict)
    _audit_documents(trial, verdict)
    _audit_answers(trial, rows, verdict)
    _audit_webhooks(trial, verdict)
    _audit_ledger(trial, verdict)
    for moment in trial.moments:
        _time_recovery(trial, rows, moment, verdict)
    suspects = [query_id for query_id in rows if any(query_id in problem for problem in verdict.problems)]
    verdict.notes += trial.rig.books.story(suspects[0]) if suspects else []
    return verdict


def percentile(values: Sequence[float], share: float) -> float:
    """The nearest-rank percentile; NaN of nothing."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)] if values else math.nan


def _audit_queries(trial: Trial, rows: dict[str, Row], verdict: Verdict) -> None:
    books, ids = trial.rig.books, trial.load.ids
    events, published = books.events(ids), books.published(ids)
    for query_id in ids:
        row = rows.get(query_id)
        if row is None or row["status"] not in _FINAL:
            verdict.lost += 1
            verdict.problems.append(f"{query_id} is {row['status'] if row else 'not there'}")
            continue
        told: Row = events.get(query_id) or {"ends": 0, "seqs": []}
        verified = published.get(query_id) or {"published": 0, "repeated": 0}
        if told["ends"] != 1 or told["seqs"] != list(range(1, row["event_seq"] + 1)):
            verdict.duplicated += told["ends"] > 1
            verdict.problems.append(f"{query_id} has {told['ends']} last events, numbers {told['seqs']}")
        if verified["repeated"] or verified["published"] > 1:
            verdict.duplicated += 1
            verdict.problems.append(f"{query_id} has {verified['published']} published verifications")
        if row["status"] != "succeeded":
            verdict.failed += 1
            error: Row = row["error"] or {}
            if not trial.allowed.failed or not error.get("message"):
                verdict.problems.append(f"{query_id} is {row['status']}: {row['error']}")


def _audit_documents(trial: Trial, verdict: Verdict) -> None:
    documents = trial.rig.books.documents(trial.documents)
    for document_id in trial.documents:
        row = documents.get(document_id)
        if row is None or row["status"] != "ready":
            verdict.lost += 1
            verdict.problems.append(f"document {document_id} is {row['status'] if row else 'not there'}")
        elif row["chunks"] != row["chunks_total"]:
            verdict.duplicated += row["chunks"] > row["chunks_total"]
            verdict.problems.append(f"document {document_id} has {row['chunks']} of {row['chunks_total']} chunks")


def _audit_answers(trial: Trial, rows: dict[str, Row], verdict: Verdict) -> None:
    """Nobody gets an answer that was cut, or one whose checks did not happen and that says they did."""
    calm, found = trial.rig.calm, trial.rig.books.sentences(trial.load.ids)
    for query_id, row in rows.items():
        if row["status"] != "succeeded":
            continue
        verified = found.get(query_id)
        if verified is None or verified["answer"] != calm.answer:
            verdict.problems.append(f"{query_id} says {verified and verified['answer']!r}")
        elif verified["statuses"] != calm.sentences:
            unchecked = all(
                status in {wanted, "not_checked"}
                for status, wanted in zip(verified["statuses"], calm.sentences, strict=True)
            )
            if not (unchecked and trial.allowed.degraded):
                verdict.problems.append(f"{query_id} has sentences {verified['statuses']}")


def _audit_webhooks(trial: Trial, verdict: Verdict) -> None:
    messages: defaultdict[str, list[Row]] = defaultdict(list)
    for row in trial.rig.books.messages(trial.load.ids):
        messages[row["id"]].append(row)
    received: defaultdict[str, list[Received]] = defaultdict(list)
    for request in list(trial.rig.sink.requests):
        received[request.path].append(request)
    resent = 0
    for key, query_id in trial.load.accepted.items():
        sent, copies = messages[query_id], received[f"/told/{key}"]
        if len(sent) != 1 or sent[0]["status"] != "delivered" or not copies:
            verdict.lost += not copies
            states = [row["status"] for row in sent]
            verdict.problems.append(f"messages of {query_id} are {states}, received {len(copies)}")
            continue
        if {copy.headers["webhook-id"] for copy in copies} != {sent[0]["message"]}:
            verdict.duplicated += 1
            verdict.problems.append(f"{query_id} was told under several webhook-ids")
        resent += len(copies) - 1
    if resent > len(trial.moments) and not trial.allowed.resent:
        verdict.problems.append(f"{resent} messages came again, after {len(trial.moments)} faults")


def _audit_ledger(trial: Trial, verdict: Verdict) -> None:
    entries = [entry for entry in _entries(trial) if entry.billed and not entry.fault]
    counted, calm = Counter(entry.kind for entry in entries), trial.rig.calm.calls
    expected = {kind: calls * trial.window.queries for kind, calls in calm.items()}
    verdict.extra = sum(max(0, number - expected.get(kind, 0)) for kind, number in counted.items())
    stored = trial.rig.books.paid_calls()
    missing = [entry for entry in entries if entry.id not in stored]
    for entry in missing:
        if not any(may_lose(entry, moment, trial.allowed) for moment in _all_moments(trial)):
            verdict.problems.append(f"the paid call {entry.id} ({entry.kind}) is in no books")
    bound = len(missing) + trial.allowed.extra
    if verdict.extra > bound and not trial.allowed.degraded:
        verdict.problems.append(f"{verdict.extra} extra model calls, {bound} of them lost with a process")


def may_lose(entry: Entry, moment: Moment, allowed: Allowed) -> bool:
    """Whether a paid call that is in no books can be explained by what was broken at `moment`."""
    if not -_BEFORE_S < entry.at - moment.at < _AFTER_S:
        return False
    # A client that gave up never received the reply; one whose call arrives after the moment had not noticed it yet.
    return not entry.left or moment.at - entry.left < allowed.stored_within_s


def _entries(trial: Trial) -> list[Entry]:
    entries = trial.rig.simulator.ledger.entries[trial.window.start : trial.window.end]
    return [entry for entry in entries if trial.kinds is None or entry.kind in trial.kinds]


def _all_moments(trial: Trial) -> list[Moment]:
    # What runs at the same time shares its processes.
    fired = [Moment(fired.at) for fired in trial.rig.points.fired() if fired.at >= trial.began]
    return trial.moments + fired


def _time_recovery(trial: Trial, rows: dict[str, Row], moment: Moment, verdict: Verdict) -> None:
    books = trial.rig.books
    if moment.subject in trial.documents:
        _time_one_job(books.documents([moment.subject])[moment.subject]["ready"], moment, trial, verdict)
        return
    if moment.subject and moment.subject not in rows:
        sent = [row["finished"] for row in books.messages(trial.load.ids) if row["delivery"] == moment.subject]
        _time_one_job(sent[0] if sent else None, moment, trial, verdict)
        return
    hit = [moment.subject] if moment.subject else list(rows)
    hit = [one for one in hit if rows[one]["finished"] and rows[one]["created"] < moment.at < rows[one]["finished"]]
    events, outcomes = books.events(hit), books.outcomes(hit)
    for query_id in hit:
        times = [time for found in (events, outcomes) for time in (found.get(query_id) or {"times": []})["times"]]
        verdict.progress.append(_first_after(moment, [*times, rows[query_id]["finished"]]))
        verdict.end.append(rows[query_id]["finished"] - moment.at)


def _time_one_job(finished: float | None, moment: Moment, trial: Trial, verdict: Verdict) -> None:
    """Of what one process at a time works on: whoever is hit while at it has taken it up."""
    if finished is not None and finished > moment.at:
        hit_again = [each.at for each in trial.moments if each.subject == moment.subject and each.at > moment.at]
        verdict.progress.append(_first_after(moment, [*hit_again, finished]))
        verdict.end.append(finished - moment.at)


def _first_after(moment: Moment, times: Iterable[float]) -> float:
    return min(time for time in times if time >= moment.at) - moment.at
