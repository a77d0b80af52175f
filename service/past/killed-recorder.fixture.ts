import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LAYERS } from '#lib/contract/operation.ts';
import { addMs, formatInstant, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Observation } from '../sources/observation.ts';
import { EmbeddedPast } from './files/embedded-past.ts';
import { PERIOD_MS } from './period.ts';
import { batchAt, FIRST_BATCH_AT, observationsOf } from './recorded-batch.fixture.ts';

const CHILD = fileURLToPath(new URL('./append-until-killed.fixture.ts', import.meta.url));
const WORLD = { west: -180, south: -90, east: 180, north: 90 };

const [anObservation] = observationsOf(0) as [Observation];

export interface Losses {
  readonly written: number;
  readonly missing: number;
  readonly unexpected: readonly string[];
  readonly damagedSegments: number;
  readonly segments: number;
}

export class KilledRecorder {
  readonly #folder = mkdtempSync(join(tmpdir(), 'lookout-past-kills-'));
  readonly #record = join(this.#folder, 'record');
  readonly #past = join(this.#folder, 'past');
  #begun = 0;

  constructor() {
    writeFileSync(this.#record, '');
  }

  async appendUntilKilled(afterMs: number, since: 'start' | 'appending'): Promise<void> {
    this.#begun = this.#lastWritten() + 1;
    const child = spawn(process.execPath, [CHILD, this.#past, this.#record, String(this.#begun)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(child, 'exit');
    let errors = '';
    child.stderr.on('data', (text: Buffer) => {
      errors += text.toString();
    });
    if (since === 'appending') await Promise.race([once(child.stdout, 'data'), ended]);
    await Promise.race([delay(afterMs), ended]);
    child.kill('SIGKILL');
    await ended;
    if (child.signalCode !== 'SIGKILL') throw new Error(`it ended by itself: ${errors}`);
  }

  async compare(): Promise<Losses> {
    const now = addMs(batchAt(this.#lastWritten()), 1);
    const past = await EmbeddedPast.open({ folder: this.#past, now: () => now, log: () => {} });
    try {
      const left = new Set<string>();
      const unexpected: string[] = [];
      for (let start = addMs(FIRST_BATCH_AT, -PERIOD_MS); start < now; start = addMs(start, PERIOD_MS)) {
        for (const layer of LAYERS) {
          const window = { start, end: addMs(start, PERIOD_MS) };
          const answer = await past.history(layer, WORLD, window, 1_000_000);
          for (const each of answer.observations) {
            const text = textOf(each);
            if (left.has(text)) unexpected.push(`twice: ${text}`);
            else if (!wasAppended(each.observedAt, text)) unexpected.push(`never appended: ${text}`);
            left.add(text);
          }
          if (answer.isWhole !== true) unexpected.push(`not whole: ${layer} from ${formatInstant(start)}`);
        }
      }
      const written = this.#recorded().flatMap((batch) => observationsOf(batch).map(textOf));
      const missing = written.filter((text) => !left.has(text)).length;
      const { damagedSegments, segments } = past.state();
      return { written: written.length, missing, unexpected, damagedSegments, segments };
    } finally {
      await past.close();
    }
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }

  #recorded(): number[] {
    return readFileSync(this.#record, 'utf8').split('\n').filter(Boolean).map(Number);
  }

  #lastWritten(): number {
    return Math.max((this.#recorded().at(-1) ?? 0) + 1, this.#begun);
  }
}

const textsOfBatch = new Map<number, ReadonlySet<string>>();

function wasAppended(observedAt: UpstreamInstant, text: string): boolean {
  const batch = Math.ceil(msBetween(FIRST_BATCH_AT, observedAt) / msBetween(batchAt(0), batchAt(1)));
  const texts = textsOfBatch.get(batch) ?? new Set(observationsOf(batch).map(textOf));
  textsOfBatch.set(batch, texts);
  return texts.has(text);
}

function textOf(observation: Observation): string {
  // Equal observations have equal texts.
  return JSON.stringify(observation, Object.keys(anObservation));
}
