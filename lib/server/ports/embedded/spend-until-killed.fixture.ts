// Spends from a ledger as fast as it can until it is killed:
//   node --conditions=react-server spend-until-killed.fixture.ts LEDGER RECORD CLOCK_OFFSET_MS PER_MINUTE PER_DAY
// RECORD stands for the upstream: a line for each request that arrived there, written only after the grant.
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { ModelAccount } from '../../upstream/model-account.fixture.ts';
import { EmbeddedLedger } from './embedded-ledger.ts';

const [ledgerFile = '', recordFile = '', offsetMs = '', perMinute = '', perDay = ''] = process.argv.slice(2);
const now = () => upstreamInstant(Date.now() + Number(offsetMs));

const account = new ModelAccount({ perMinute: Number(perMinute), perDay: Number(perDay) });
for (const line of readFileSync(recordFile, 'utf8').split('\n')) if (line) account.take(Number(line));
const record = openSync(recordFile, 'a');
const ledger = new EmbeddedLedger(ledgerFile);
process.on('exit', () => closeSync(record));

async function spend(requests: number): Promise<void> {
  for (;;) {
    const reserved = await ledger.reserve(requests, 'first-view', now());
    await turn();
    if (reserved.kind === 'refused') continue;
    const { grant } = reserved;
    for (let attempt = 0; attempt < grant.requests; attempt++) {
      const sentAt = now();
      writeSync(record, `${sentAt}\n`);
      const told = account.take(epochMs(sentAt));
      await turn();
      const answer = { counted: true, minuteRemaining: told?.minute, dayRemaining: told?.day };
      await ledger.attempted(grant, { ...answer, sentAt, receivedAt: now() });
      process.stdout.write('.');
    }
    await ledger.release(grant);
  }
}

await Promise.all([spend(1), spend(3), spend(5)]);
