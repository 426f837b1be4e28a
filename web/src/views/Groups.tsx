// SPDX-License-Identifier: BSD-3-Clause
import type { JSX } from "preact";
import { formatCount, formatRanges } from "../format";
import { type Alike, type Arrangement } from "../model/arrangement";
import { locationName, type Report, locationWord, processWord } from "../model/report";
import type { Store } from "../state/store";

/** @returns "37 like rank 12", or the name of a single location. */
export function groupText(report: Report, alike: Alike, group: number): string {
  const name = locationName(report, alike.typical[group]!);
  const size = alike.members[group]!.length;
  return size === 1 ? name : `${formatCount(size)} like ${name}`;
}

/** @returns the ranks of given locations: "ranks 0-3, 7". */
export function ranksText(report: Report, locations: readonly number[]): string {
  const ranks = [...new Set(locations.map((location) => report.locations[location]!.rank))];
  const { first } = report.summary.process;
  return `${processWord(report, ranks.length)} ${formatRanges(ranks.map((rank) => rank + first), 8)}`;
}

/** The groups of similar locations: a button for each, which opens and closes it. */
export function Groups({ store, arrangement }: { store: Store; arrangement: Arrangement }): JSX.Element {
  const { report } = store;
  const alike = arrangement.alike!;
  return (
    <ul class="legend groups" aria-label={`Groups of similar ${locationWord(report, 2)}`}>
      {alike.members.map((members, group) => (
        <li key={group}>
          {members.length === 1 ? (
            <span class="muted">{groupText(report, alike, group)}</span>
          ) : (
            <button
              type="button"
              aria-expanded={arrangement.isOpen(group)}
              title={ranksText(report, members)}
              onClick={() => store.timeline.toggleGroup(group)}
            >
              {groupText(report, alike, group)}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
