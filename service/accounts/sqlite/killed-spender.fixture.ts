import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { serviceNow } from '../../service-now.ts';
import { addAccount } from '../administer/accounts.ts';
import { makeAccountsFile, openAccountsFile } from './accounts-file.ts';
import { openSqliteBook } from './sqlite-book.ts';

const SPENDER = fileURLToPath(new URL('./spend-until-killed.fixture.ts', import.meta.url));
export const CONCURRENT = 3;

export class KilledSpender {
  readonly #folder = mkdtempSync(join(tmpdir(), 'killed-spender-'));
  readonly #file = join(this.#folder, 'accounts.sqlite');
  readonly #record = join(this.#folder, 'record');
  #accountId = '';

  begin(): void {
    makeAccountsFile(this.#file);
    writeFileSync(this.#record, '');
    const book = openSqliteBook(this.#file);
    const allowance = { perMinute: 1_000_000_000, perDay: 1_000_000_000 };
    const { account } = addAccount({ book, now: serviceNow(), by: 'tester' }, { name: 'A', allowance });
    book.close();
    this.#accountId = account.id;
  }

  async spendUntilKilled(afterMs: number, since: 'start' | 'spending'): Promise<void> {
    const child = spawn(process.execPath, [SPENDER, this.#file, this.#accountId, this.#record], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(child, 'exit');
    let errorOutput = '';
    child.stderr.on('data', (text: Buffer) => {
      errorOutput += text.toString();
    });
    if (since === 'spending') await Promise.race([once(child.stdout, 'data'), ended]);
    await Promise.race([delay(afterMs), ended]);
    child.kill('SIGKILL');
    await ended;
    if (child.signalCode !== 'SIGKILL') throw new Error(`the spender ended by itself: ${errorOutput}`);
  }

  compare(): { readonly granted: number; readonly counted: number } {
    const database = openAccountsFile(this.#file, { whole: true });
    const { counted } = database.prepare('select ifnull(sum(in_day), 0) as counted from spent').get() as {
      counted: number;
    };
    database.close();
    return { granted: statSync(this.#record).size, counted };
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }
}
