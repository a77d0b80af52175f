import type { Drawing } from '../area/drawing-state.ts';
import type { Measuring } from '../measuring/measuring.ts';
import { ended } from '../measuring/measuring-state.ts';
import type { ZoneDesk } from '../zones/zone-desk.ts';

interface Tools {
  readonly drawing: Drawing;
  readonly measuring: Measuring;
  readonly zones: ZoneDesk;
}

type PressTool = 'area' | 'measuring' | 'zone';

interface Row {
  readonly subscribe: (listener: () => void) => () => void;
  readonly isOn: () => boolean;
  readonly end: () => void;
}

/** The tools that take the presses on the map: they draw an area or a zone, or measure. */
function rowsOf({ drawing, measuring, zones }: Tools): Readonly<Record<PressTool, Row>> {
  return {
    area: {
      subscribe: drawing.subscribe,
      isOn: () => drawing.get().tool !== undefined,
      end: () => drawing.end(),
    },
    measuring: {
      subscribe: measuring.state.subscribe,
      isOn: () => measuring.state.get().tool !== undefined,
      end: () => measuring.change(ended),
    },
    zone: {
      subscribe: zones.draft.subscribe,
      isOn: () => zones.draft.get()?.isDrawing === true,
      end: () => zones.stopDrawing(),
    },
  };
}

/** The tool that takes presses on the map; `undefined` while they select tracks. */
export function toolOn(tools: Tools): PressTool | undefined {
  const rows = rowsOf(tools);
  return (['area', 'measuring', 'zone'] as const).find((tool) => rows[tool].isOn());
}

/** A tool that starts ends the others. Returns a function that stops. */
export function oneToolAtATime(tools: Tools): () => void {
  const rows = Object.values(rowsOf(tools));
  const stops = rows.map((row) => {
    let wasOn = row.isOn();
    return row.subscribe(() => {
      const isStarted = row.isOn() && !wasOn;
      wasOn = row.isOn();
      if (!isStarted) return;
      for (const other of rows) if (other !== row && other.isOn()) other.end();
    });
  });
  return () => {
    for (const stop of stops) stop();
  };
}
