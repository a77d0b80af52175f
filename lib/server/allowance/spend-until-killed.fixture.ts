// Spends from a ledger as fast as it can until it is killed:
//   node --conditions=react-server spend-until-killed.fixture.ts DATABASE RECORD CLOCK_OFFSET_MS PER_MINUTE PER_DAY
// RECORD stands for the upstream: one line per arrived request.

import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { openDatabase } from '../database/open-database.ts';
import { strictSupervisor } from '../supervision/supervisor.fixture.ts';
import { ModelAccount } from './model-account.fixture.ts';
import { openLedger } from './stored-ledger.ts';

const [databaseFile = '', recordFile = '', offsetMs = '', perMinute = '', perDay = ''] = process.argv.slice(2);
const now = () => upstreamInstant(Date.now() + Number(offsetMs));

const account = new ModelAccount({ perMinute: Number(perMinute), perDay: Number(perDay) });
for (const line of readFileSync(recordFile, 'utf8').split('\n')) if (line) account.take(Number(line));
const record = openSync(recordFile, 'a');
const ledger = await openLedger(
  await openDatabase({ dialect: 'sqlite', file: databaseFile }),
  'account',
  strictSupervisor().part('allowance'),
);
process.on('exit', () => closeSync(record));

async function spend(requests: number): Promise<void> {
  for (;;) {
    const reserved = await ledger.reserve(requests, 'first-view', now());
    await nextLoop();
    if (reserved.kind === 'refused') continue;
    const { reservation } = reserved;
    for (let attempt = 0; attempt < reservation.requests; attempt++) {
      const sentAt = now();
      writeSync(record, `${sentAt}\n`);
      const remaining = account.take(epochMs(sentAt));
      await nextLoop();
      const answer = { counted: true, minuteRemaining: remaining?.minute, dayRemaining: remaining?.day };
      await ledger.attempted(reservation, { ...answer, sentAt, receivedAt: now() });
      process.stdout.write('.');
    }
    await ledger.release(reservation);
  }
}

await Promise.all([spend(1), spend(3), spend(5)]);
