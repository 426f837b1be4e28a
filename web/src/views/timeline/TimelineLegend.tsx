// SPDX-License-Identifier: BSD-3-Clause
/** What the colours, lines and arrows of the timeline mean. */
import { useMemo } from "preact/hooks";
import type { JSX } from "preact";
import { scaleColor, type Palette, type ScaleName } from "../../draw/colors";
import type { TimelineColors } from "../../draw/timeline/timeline_colors";
import { ESTIMATE_MEANING, ESTIMATE_SIGN, formatNumber, formatPercent } from "../../format";
import type { CounterField } from "../../model/counters";
import { locationWord } from "../../model/report";
import { ARROW_NAMES, type Timeline } from "../../model/timeline";
import type { Store } from "../../state/store";

const SHADES = 12;

/** What the colours of a field's values mean. */
export function HeatLegend(props: { title: string; field: CounterField; palette: Palette; scale: ScaleName }): JSX.Element {
  const { title, field, palette, scale } = props;
  const shades = Array.from({ length: SHADES }, (_, i) => scaleColor(scale, palette.dark, i / (SHADES - 1)));
  return (
    <ul class="legend timeline-legend" aria-label="Legend">
      <li>{title}</li>
      {field.low <= field.high && (
        <li>
          {formatNumber(field.low)}
          <span class="swatch scale" style={{ background: `linear-gradient(to right, ${shades.join(",")})` }} />
          {formatNumber(field.high)}
        </li>
      )}
    </ul>
  );
}

export function Legend(props: { store: Store; timeline: Timeline; colors: TimelineColors }): JSX.Element {
  const { store, timeline, colors } = props;
  const kinds = useMemo(() => new Set(timeline.arrows.kind), [timeline.arrows]);
  const location = locationWord(store.report, 1);
  return (
    <ul class="legend timeline-legend" aria-label="Legend">
      {colors.share !== null && (
        <li>
          Share of waiting 0%
          <span class="swatch scale" style={{ background: `linear-gradient(to right, ${colors.share.colors.join(",")})` }} />
          100%
        </li>
      )}
      {colors.legend.map((entry, i) => (
        <li key={i}>
          <span class={`swatch ${entry.hatched ? "hatched" : ""}`} style={{ background: entry.color }} /> {entry.name}
        </li>
      ))}
      {store.timeline.path.value && (
        <li>
          <span class="swatch line" style={{ background: "var(--path)" }} /> Critical path
        </li>
      )}
      <li>
        <span class="swatch line" style={{ background: "var(--cause)" }} /> from a wait to its cause
      </li>
      <li title={`Left of the rows: all waiting of the ${location}, and all waiting of others for it; the darkest one has most`}>
        <span class="swatch strip" style={{ background: "var(--wait)" }} />
        <span class="swatch strip" style={{ background: "var(--cause)" }} /> {location} waits, is waited for
      </li>
      {store.timeline.arrows.value &&
        ARROW_NAMES.map(
          (name, kind) =>
            kinds.has(kind) && (
              <li key={name}>
                <span class={`swatch arrow arrow-${kind}`} /> {name}
              </li>
            ),
        )}
      {store.report.callpaths.some(({ isEstimated }) => isEstimated) && (
        <li title={`${ESTIMATE_MEANING}.`}>{ESTIMATE_SIGN}function by samples</li>
      )}
      {store.timeline.teams.value && timeline.teams.count > 0 && (
        <li>
          <span class="swatch team" /> team of threads
        </li>
      )}
      {timeline.windows.length > 1 && !timeline.isTiled && (
        <li class="muted">{`${timeline.windows.length} excerpts around the longest waits, of ${formatPercent(
          timeline.laneStart[timeline.laneStart.length - 1]! / Math.max(1, 2 * timeline.calls),
        )} of all calls`}</li>
      )}
    </ul>
  );
}
