import { type DrawingState, NOTHING_DRAWN } from '../area/drawing-state.ts';
import type { Measuring } from '../measuring/measuring.ts';
import { ended } from '../measuring/measuring-state.ts';
import type { ValueStore } from '../value-store.ts';
import type { ZoneDesk } from '../zones/zone-desk.ts';

interface PressTools {
  readonly drawing: ValueStore<DrawingState>;
  readonly measuring: Measuring;
  readonly zones: ZoneDesk;
}

/**
 * At most one tool takes the presses on the map: it draws an area or a zone, or measures. A tool that starts ends the others.
 * Returns a function that stops.
 */
export function oneToolAtATime({ drawing, measuring, zones }: PressTools): () => void {
  const tools = [
    {
      store: drawing,
      isOn: () => drawing.get().tool !== undefined,
      end: () => drawing.set(NOTHING_DRAWN),
    },
    {
      store: measuring.state,
      isOn: () => measuring.state.get().tool !== undefined,
      end: () => measuring.change(ended),
    },
    {
      store: zones.draft,
      isOn: () => zones.draft.get()?.isDrawing === true,
      end: () => zones.stopDrawing(),
    },
  ];
  const stops = tools.map((tool) => {
    let wasOn = tool.isOn();
    return tool.store.subscribe(() => {
      const isStarted = tool.isOn() && !wasOn;
      wasOn = tool.isOn();
      if (!isStarted) return;
      for (const other of tools) if (other !== tool && other.isOn()) other.end();
    });
  });
  return () => {
    for (const stop of stops) stop();
  };
}
