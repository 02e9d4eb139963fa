#!/usr/bin/env python3
"""Breaks the library in many small ways, one at a time, and shows that the simulator finds each.

    tests/simulate --defects [NAME ...]
    tests/simulate --defects --check    only that each can still be put in, and that docs/ name no others

Works on a copy of templates/ in a temporary folder. Looks for each defect in several sequences of jobs. Prints a table;
exit code 1 if in one of them anything was not found.
"""

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path
from shutil import copytree

ROOT = Path(__file__).resolve().parents[2]
MOST_BROADCASTS = 10000
SEEDS = [1 + 1000000 * i for i in range(7)]  # each the first job of a sequence

# name, header below templates/bcast/, what stands there, what is put in its place
DEFECTS = [
    ("two trees on one lane", "pipeline/pipeline.hpp", "{tree == 0 ? lanes.first : lanes.second, &tags_, 0}",
     "{lanes.first, &tags_, 0}"),
    ("a wait is missing", "pipeline/stream.hpp", "return child.sent == segments_.count(); });\n    }\n\n  private:",
     "return child.started == segments_.count(); });\n    }\n\n  private:"),
    ("last segment one byte long", "roles/segment_lengths.hpp", "return segment + 1 == count ? last_bytes :",
     "return segment + 1 == count && count > 1 ? last_bytes + 1 :"),
    ("last segment forgotten", "roles/segment_lengths.hpp", "after_first / made.usual_bytes + (rest == 0 ? 0 : 1)",
     "after_first / made.usual_bytes"),
    ("staging reused too early", "pipeline/stream.hpp", "least = std::min(least, child.sent)",
     "least = std::max(least, child.sent)"),
    ("send window ignored", "pipeline/stream.hpp", "if (begins && under_way_.full()) return MPI_SUCCESS;", ""),
    ("a step never ends", "trees/sends_under_way.hpp", "} else if (++ended_ == count_) {",
     "} else if (++ended_ > count_) {"),
    ("ring sends a piece on too early", "pipeline/ring_engine.hpp",
     "arriving_.offset() >= sending_.offset() + piece.bytes", "arriving_.offset() >= sending_.offset()"),
    ("ring receives over what it sends", "pipeline/ring_engine.hpp",
     "return !holds_block(role_->position, role_->held, positions_, piece.block);", "return piece.bytes > 0;"),
    ("late joiner told a wrong count", "arrival/engine.hpp", "rounds_.parts().count() == 1 ? 1 : 0);",
     "rounds_.parts().count() <= 2 ? 1 : 0);"),
    ("early arrival forgotten", "arrival/arrivals.hpp", "early_.push_back(arrival);", ""),
    ("late arrivals not waited for", "library/communicator.hpp", "arrivals_->settle(lanes_.of(PrivateLanes::loose));", "MPI_SUCCESS;"),
    ("a machine's last rank left out", "roles/roles.hpp", "child <= 2 * number + 2; ++child", "child < 2 * number + 2; ++child"),
    ("no agreement on the private communicator", "library/private_lanes.hpp",
     "bits >= least_length_bits) {", "bits >= 0) {"),
    ("other settings not noticed", "library/set_up.hpp", "record.digest != all[0].digest", "record.digest == 1"),
    ("a cut run copied from its beginning", "mpi/runs.hpp", "std::size_t within = begin % runs.bytes;", "std::size_t within = 0;"),
    ("a cut element packed from its neighbour", "mpi/message.hpp", "part(carry() + done_in_element_, step);",
     "part(carry() + (done_in_element_ > 1 ? done_in_element_ - 1 : done_in_element_), step);"),
    # What reliability.md promises.
    ("arrivals on the segments' lane", "library/private_lanes.hpp", "return lanes_[lane]; }",
     "return lanes_[lane == loose ? first : lane]; }"),
    ("a length that differs not seen", "pipeline/lane.hpp", "if (bytes < most) return bytes;", "if (bytes < most) return 1;"),
    ("more segments taken for sure than all lengths have", "roles/segment_lengths.hpp",
     "return bytes > most_alone ? std::max<std::int64_t>(1, whole_within(bytes)) : 1;",
     "return std::max<std::int64_t>(1, count);"),
    ("truncation not passed on", "pipeline/lane.hpp", "failure.spoil(MPI_ERR_TRUNCATE);", "failure.note(MPI_ERR_TRUNCATE);"),
    ("a void segment taken for content", "pipeline/lane.hpp",
     "failure.spoil(SegmentTags::says_truncated(tag) ? MPI_ERR_TRUNCATE : MPI_ERR_OTHER);", ""),
    ("a spoilt rank sends nothing more", "pipeline/stream.hpp", "if (failure_->spoilt) return segments_.count();", ""),
    ("too little room for a short message", "pipeline/segment_memory.hpp", "return stages_ || has_none_ ? first_room : std::min(first_room, segments_->bytes());",
     "return segments_->length(0);"),
    ("a message that is alone not looked at", "pipeline/segment_memory.hpp", "looks_first_ = is_short && !stages_;", "looks_first_ = false;"),
    ("the first piece of a ring not looked at", "pipeline/ring_engine.hpp", "return {true, to, space, true};",
     "return {true, to, space, false};"),
    ("all wait for the ring's first piece", "pipeline/ring_engine.hpp", "return scattered_on() && (sends_.made > 0 || ring_left_ == 0);",
     "return true;"),
    ("a failed call not made again", "mpi/waiting.hpp", "inline constexpr int most_calls = 4;", "inline constexpr int most_calls = 1;"),
    ("a request that ended badly forgotten", "mpi/waiting.hpp",
     "if (!is_under_way(at) || handles_[at] != mpi.request_null) continue;", "continue;"),
    ("an arrival that ended badly taken for good", "pipeline/stream.hpp",
     "if (ended == Ended::badly) failure_->spoil(requests_->error());", ""),
    ("a rank that cannot keep its state says nothing", "library/communicators.hpp", "communicator->set_up(kept);",
     "communicator->set_up(true);"),
    ("a communicator not known by its handle", "library/communicators.hpp",
     "if (communicator->user() == comm) return communicator;", ""),
    ("a rank without memory makes no private communicator", "library/private_lanes.hpp",
     "if (reserved && !prepared) reserve()->release();", "if (reserved && !prepared) return \"no memory\";"),
    ("nothing put by", "mpi/memory.hpp", "            reserve()->release();\n        }", "            throw;\n        }"),
    ("a lost tag taken for the one expected", "pipeline/lane.hpp", "left_ = arrived_ == 0 ? 0 : expected_ - arrived_ + 1;",
     "left_ = std::max<std::int64_t>(2, expected_ - arrived_ + 1);"),
    ("refused memory for a message ends the broadcast", "mpi/memory.hpp", "memory.grow(bytes);\n    } catch (const std::bad_alloc&) {\n        return false;",
     "memory.grow(bytes);\n    } catch (const std::bad_alloc&) {\n        throw;"),
]
# Those from here on are looked for in jobs in which something fails.
FAULTS_FROM = "a failed call not made again"


def compile_sources(sources, templates, objects, jobs=2):
    flags = ["-std=c++20", "-O1", f"-I{ROOT}", f"-I{templates}", f"-I{ROOT}/tests/simulator/fake_mpi"]
    waiting, running = list(sources), []
    while waiting or running:
        while waiting and len(running) < jobs:
            source = waiting.pop(0)
            command = ["g++", *flags, "-c", str(source), "-o", str(objects / (source.stem + ".o"))]
            running.append((source, subprocess.Popen(command)))
        source, process = running.pop(0)
        if process.wait() != 0:
            sys.exit(f"defects: {source} does not compile")


def link(objects, program):
    parts = sorted(objects.glob("*.o"), key=lambda part: part.name != "library.o")  # its inline functions first
    subprocess.run(["g++", *map(str, parts), "-o", str(program), "-lboost_context", "-ldl", "-lpthread"], check=True)


def broken(templates, header, before, after):
    """The header's text with the defect in it."""
    text = (templates / "bcast" / header).read_text(encoding="utf-8")
    if text.count(before) != 1:
        sys.exit(f"defects: {header} holds {text.count(before)} times: {before}")
    return text.replace(before, after)


def check():
    """That each defect has its place, and that the pages which name defects name these."""
    for _, header, before, after in DEFECTS:
        broken(ROOT / "templates", header, before, after)
    names = {defect[0] for defect in DEFECTS}
    agreement = (ROOT / "docs/agreement.md").read_text(encoding="utf-8")
    named = [" ".join(name.split()) for found in re.findall(r"\*Defects?: ([^*]*)\.\*", agreement) for name in found.split(";")]
    table = (ROOT / "docs/simulator.md").read_text(encoding="utf-8").partition("| defect |")[2]
    rows = re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE)
    strange = sorted(set(named + rows) - names) + [f"{name} (no row)" for name in sorted(names - set(rows))]
    if not named or strange:
        sys.exit("defects: docs/agreement.md and docs/simulator.md do not fit: " + ", ".join(strange))
    return 0


def look(program, faults, seed):
    """(broadcasts until it was found, what was seen), or (None, ...) if it was not."""
    command = [str(program), "--broadcasts", str(MOST_BROADCASTS), "--processes", "1", "--seed", str(seed), "--no-shrink"]
    command += ["--faults"] if faults else []
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if run.returncode == 0:
        return None, "nothing"
    found = re.match(r"after (\d+) broadcasts job \d+ fails: (?:rank \d+: )?(.*)", run.stdout)
    if found and found[1] == "0":
        return 1, found[2] + " (in the first job)"
    return (int(found[1]), found[2]) if found else (0, f"ended with {run.returncode}")


def row_of(name, looks):
    """Of the table: what was found where, and what was seen first."""
    found = [after for after, _ in looks if after is not None]
    if not found:
        return f"| {name} | not found | | nothing |"
    often = "" if len(found) == len(looks) else f", not found {len(looks) - len(found)} times of {len(looks)}"
    median = int(statistics.median(found))
    seen = next(what for after, what in looks if after is not None)
    return f"| {name} | {median} broadcasts{often} | {min(found)} to {max(found)} | {seen} |"


def main():
    wanted = sys.argv[1:]
    if wanted == ["--check"]:
        return check()
    if unknown := set(wanted) - {defect[0] for defect in DEFECTS}:
        sys.exit("defects: there is no " + ", ".join(sorted(unknown)))
    chosen = [defect for defect in DEFECTS if not wanted or defect[0] in wanted]
    missed = 0
    names = [defect[0] for defect in DEFECTS]
    with_faults = names[names.index(FAULTS_FROM):]
    with tempfile.TemporaryDirectory(prefix="simulate-defects-") as folder:
        objects = Path(folder) / "objects"
        objects.mkdir()
        here = ROOT / "tests/simulator"
        sources = [path for path in here.rglob("*.cpp") if "_test" not in path.name]
        print("compiling ...", file=sys.stderr)
        compile_sources(sources, ROOT / "templates", objects, os.cpu_count() or 1)
        link(objects, Path(folder) / "sound")
        for faults, seed in product((False, True), SEEDS):
            found, seen = look(Path(folder) / "sound", faults, seed)
            if found is not None:
                sys.exit(f"defects: the library as it is fails: {seen}")
        print("| defect | found after | least and most | seen as, first |\n|---|---|---|---|")
        for number, (name, header, before, after) in enumerate(chosen):
            copy = Path(folder) / f"templates-{number}"
            copytree(ROOT / "templates", copy)
            (copy / "bcast" / header).write_text(broken(copy, header, before, after), encoding="utf-8")
            compile_sources([here / "library.cpp"], copy, objects)
            program = Path(folder) / f"broken-{number}"
            link(objects, program)
            looks = [look(program, name in with_faults, seed) for seed in SEEDS]
            missed += any(after is None for after, _ in looks)
            print(row_of(name, looks), flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
