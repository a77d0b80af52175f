import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { openDatabase } from '../database/open-database.ts';
import { strictSupervisor } from '../supervision/supervisor.fixture.ts';
import { openLedger } from './stored-ledger.ts';

const SPENDER = fileURLToPath(new URL('./spend-until-killed.fixture.ts', import.meta.url));
const PER_MINUTE = 10_000_000;
const PER_DAY = 100_000_000;

export interface Comparison {
  readonly recorded: number;
  readonly counted: number;
  /** The upstream's remaining number minus the ledger's; negative if the ledger overestimates. */
  readonly dayBelow: number;
  readonly minuteBelow: number;
}

export class KilledSpender {
  readonly databaseFile: string;
  readonly #recordFile: string;
  /** Shifts the clock to about noon UTC, so that no midnight falls into a measurement. */
  readonly #clockOffsetMs = Date.UTC(2026, 10, 21, 12) - Date.now();

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), 'lookout-kills-'));
    this.databaseFile = join(folder, 'lookout.sqlite');
    this.#recordFile = join(folder, 'record');
    writeFileSync(this.#recordFile, '');
  }

  /** @param afterMs after its start or its first request */
  async spendUntilKilled(afterMs: number, since: 'start' | 'first request'): Promise<void> {
    const values = [this.#clockOffsetMs, PER_MINUTE, PER_DAY].map(String);
    const child = spawn(
      process.execPath,
      ['--conditions=react-server', SPENDER, this.databaseFile, this.#recordFile, ...values],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const ended = once(child, 'exit');
    let errorOutput = '';
    child.stderr.on('data', (text: Buffer) => {
      errorOutput += text.toString();
    });
    if (since === 'first request') await Promise.race([once(child.stdout, 'data'), ended]);
    child.stdout.resume();
    await Promise.race([delay(afterMs), ended]);
    child.kill('SIGKILL');
    await ended;
    if (child.signalCode !== 'SIGKILL') throw new Error(`the spender ended by itself: ${errorOutput}`);
  }

  async compare(): Promise<Comparison> {
    const database = await openDatabase({ dialect: 'sqlite', file: this.databaseFile });
    try {
      const ledger = await openLedger(database, 'account', strictSupervisor().part('allowance'));
      const now = upstreamInstant(Date.now() + this.#clockOffsetMs);
      const { minute, day, spentToday } = await ledger.state(now);
      const lines = readFileSync(this.#recordFile, 'utf8').split('\n').filter(Boolean).map(Number);
      const thisMinute = lines.filter((sentAt) => Math.floor(sentAt / 60_000) === Math.floor(epochMs(now) / 60_000));
      return {
        recorded: lines.length,
        counted: spentToday,
        dayBelow: PER_DAY - lines.length - (day.remaining ?? 0),
        minuteBelow: PER_MINUTE - thisMinute.length - (minute.remaining ?? 0),
      };
    } finally {
      await database.close();
    }
  }
}
