import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Inlet, Surroundings } from './feed.ts';
import { machineSurroundings } from './machine-surroundings.ts';

/** The machine's clock and dice, and timers a hundred times as fast. */
export const fastSurroundings: Surroundings = {
  ...machineSurroundings,
  after: (ms, callback) => machineSurroundings.after(ms / 100, callback),
};

/** An inlet that keeps what it was given, as lines: `message …`, `refuse …`, `connected`, `lost …`. */
export function makeRecordedInlet() {
  const events: string[] = [];
  const receivedAt: UpstreamInstant[] = [];
  let wake = () => {};
  const record = (line: string) => {
    events.push(line);
    wake();
  };
  const inlet: Inlet = {
    message(message, at) {
      if (at !== undefined) receivedAt.push(at);
      record(`message ${Buffer.from(message).toString()}`);
    },
    refuse: (cause) => record(`refuse ${cause}`),
    connected: () => record('connected'),
    lost: (problem) => record(`lost ${problem}`),
  };
  return {
    inlet,
    events: events as readonly string[],
    receivedAt: receivedAt as readonly UpstreamInstant[],
    /** Resolves once this came, and takes everything up to it off `events`. */
    async until(line: string): Promise<readonly string[]> {
      while (!events.includes(line)) await new Promise<void>((resolve) => (wake = resolve));
      return events.splice(0, events.indexOf(line) + 1);
    },
  };
}
