import type { UpstreamInstant } from '#lib/time/instant.ts';
import { machineSurroundings } from '../../service-now.ts';
import type { AnswerFacts, Inlet, Surroundings } from './feed.ts';
import { CONNECT_TIMEOUT_MS } from './transports/reconnecting.ts';

const afterHundredth: Surroundings['after'] = (ms, callback) => machineSurroundings.after(ms / 100, callback);

/**
 * Timers run a hundred times as fast, except that of a connection: on a busy machine, connecting takes longer than a
 * tenth of a second.
 */
export const fastSurroundings: Surroundings = {
  ...machineSurroundings,
  after: (ms, callback) => (ms === CONNECT_TIMEOUT_MS ? machineSurroundings.after : afterHundredth)(ms, callback),
};

/** For servers that let a connection wait for ever. */
export const impatientSurroundings: Surroundings = { ...machineSurroundings, after: afterHundredth };

/** Records calls as lines: `message …`, `repeated`, `refuse …`, `connected`, `lost …`. */
export function makeRecordedInlet(isReadable: (body: string) => boolean = () => true) {
  const events: string[] = [];
  const receivedAt: UpstreamInstant[] = [];
  const facts: AnswerFacts[] = [];
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
    async answer(body, at, known) {
      receivedAt.push(at);
      facts.push(known);
      const text = Buffer.from(body).toString();
      record(`message ${text}`);
      return isReadable(text);
    },
    repeated: () => record('repeated'),
    keptAlive: (isBeacon) => record(isBeacon ? 'beacon' : 'kept alive'),
    refuse: (cause) => record(`refuse ${cause}`),
    connected: () => record('connected'),
    lost: (problem) => record(`lost ${problem}`),
  };
  return {
    inlet,
    events: events as readonly string[],
    receivedAt: receivedAt as readonly UpstreamInstant[],
    facts: facts as readonly AnswerFacts[],
    async until(line: string): Promise<readonly string[]> {
      while (!events.includes(line)) await new Promise<void>((resolve) => (wake = resolve));
      return events.splice(0, events.indexOf(line) + 1);
    },
  };
}
