import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Inlet, Surroundings } from './feed.ts';
import { machineSurroundings } from './machine-surroundings.ts';

/** The machine's clock and dice, and timers a hundred times as fast. */
export const fastSurroundings: Surroundings = {
  ...machineSurroundings,
  after: (ms, callback) => machineSurroundings.after(ms / 100, callback),
};

/** An inlet that keeps what it was told, as lines: `message …`, `refuse …`, `connected`, `lost …`. */
export function makeRecordedInlet() {
  const told: string[] = [];
  const receivedAt: UpstreamInstant[] = [];
  let wake = () => {};
  const tell = (line: string) => {
    told.push(line);
    wake();
  };
  const inlet: Inlet = {
    message(message, at) {
      if (at !== undefined) receivedAt.push(at);
      tell(`message ${Buffer.from(message).toString()}`);
    },
    refuse: (cause) => tell(`refuse ${cause}`),
    connected: () => tell('connected'),
    lost: (problem) => tell(`lost ${problem}`),
  };
  return {
    inlet,
    told: told as readonly string[],
    receivedAt: receivedAt as readonly UpstreamInstant[],
    /** Resolves once this was told, and takes everything up to it off `told`. */
    async until(line: string): Promise<readonly string[]> {
      while (!told.includes(line)) await new Promise<void>((resolve) => (wake = resolve));
      return told.splice(0, told.indexOf(line) + 1);
    },
  };
}
