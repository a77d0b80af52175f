// npm run doctor: examines a Lookout, whether it runs or not, and changes nothing.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  checkTitle,
  type DoctorAnswer,
  type DoctorCheck,
  doctorSummary,
  type Finding,
} from '#lib/api/operation/doctor-answer.ts';
import { commandText, isRelease } from '#lib/commands/command-text.ts';
import { isDataDirInUse } from '#lib/server/database/data-dir.ts';
import { readOnly } from '#lib/server/database/schema.ts';
import type { ReadsDatabase } from '#lib/server/doctor/database-checks.ts';
import { checksOf, otherClocks } from '#lib/server/doctor/doctor.ts';
import { type Checks, examine, fine, type Said, unknown, wrong } from '#lib/server/doctor/examine.ts';
import { folderFindings, versionText } from '#lib/server/doctor/machine-checks.ts';
import { clockFindings, receiverFindings } from '#lib/server/doctor/network-checks.ts';
import type { Config } from '#lib/server/settings/config.ts';
import { VERSION_LINE } from '#lib/version/lookout-version.ts';
import { type AskedUpstream, askLookout, askUpstream, portFindings, secretOf } from './doctor/ask-others.ts';
import type { ListenSettings } from './serving/server-program.ts';
import { readStart } from './serving/start-settings.ts';
import { readCommandLine, readDataDir, readSettingsFile, stop } from './setup/command-line.ts';
import { endAfterVersion } from './setup/version-option.ts';

endAfterVersion();

const form = (args: string) => commandText('doctor', args.padEnd(16));
const usage = `${VERSION_LINE}${form('')} examines Lookout and says what to correct, while it runs or not
${form('--json')} prints what it found as JSON
  --settings FILE   reads the settings from a file such as /etc/lookout/lookout.env
  --no-request      sends no request to the upstream; otherwise one, which counts, where its state is not known
It changes nothing. Run it as the user of Lookout. Exit code: 0 if nothing is wrong, 1 otherwise.
`;

const { values, positionals } = readCommandLine(usage, {
  json: { type: 'boolean' },
  settings: { type: 'string' },
  'no-request': { type: 'boolean' },
});
if (positionals.length > 0) stop(usage);
if (values.settings !== undefined) readSettingsFile(values.settings);

const here = dirname(fileURLToPath(import.meta.url));
const { listen, config, problems } = readStart(isRelease() ? here : dirname(here), process.env);
const nowMs = Date.now();
const findings = await examine(
  config.ok && listen.ok && problems.length === 0
    ? { settings: () => [fine('A start accepts them')], ...(await wholeChecks(config.config, listen)) }
    : {
        settings: () => [
          ...problems.map((problem) => wrong(problem)),
          unknown('The rest is examined once these are right'),
        ],
        folder: () => folderFindings(readDataDir()),
      },
  (error) => process.stderr.write(`A check failed: ${error instanceof Error ? error.stack : String(error)}\n`),
);
if (values.json) {
  const answer: DoctorAnswer = { as_of: new Date(nowMs).toISOString(), findings: [...findings] };
  process.stdout.write(`${JSON.stringify(answer, undefined, 2)}\n`);
} else process.stdout.write(`${findings.map(lineOf).join('')}${doctorSummary(findings)}\n`);
process.exitCode = findings.some(({ state }) => state === 'wrong') ? 1 : 0;

async function wholeChecks(
  read: Config,
  { host, port, address }: Extract<ListenSettings, { ok: true }>,
): Promise<Checks> {
  const reads: ReadsDatabase = (use) => readOnly(read.database, use);
  const own = checksOf(read, reads, nowMs);
  const sends = values['no-request'] !== true;
  const ask = () => askUpstream(read, { reads, sends, say: (text) => process.stderr.write(`${text}\n`) });
  if (isDataDirInUse(read.dataDir)) return { ...own, ...(await runningChecks(read, address, reads, ask)) };
  // Its waits, and those of a database that hangs, add up to more than a check may take.
  const upstream = await ask();
  const { port: metricsPort } = read.metrics;
  const metrics = metricsPort === undefined ? [] : [['127.0.0.1', metricsPort] as const];
  const stopped = [unknown('Lookout does not run')];
  return {
    ...own,
    server: () => portFindings([[host, port], ...metrics]),
    upstream: () => upstream.said,
    clock: async () => clockFindings(await otherClocks(read, reads, upstream.aheadMs)),
    receivers: () => (read.receiversSocket === undefined ? receiverFindings(undefined) : stopped),
    proxy: () => stopped,
  };
}

/** Reads the findings of the running Lookout, once by its own address, and once by the address of browsers. */
async function runningChecks(
  read: Config,
  address: string,
  reads: ReadsDatabase,
  ask: () => Promise<AskedUpstream>,
): Promise<Checks> {
  const secret = await secretOf(read, reads);
  const near = await askLookout(address, secret);
  const hasAnswer = !('found' in near);
  const far = hasAnswer && read.publicOrigin !== undefined ? await askLookout(read.publicOrigin, secret) : near;
  const reported = (check: DoctorCheck, by = near): readonly Said[] =>
    'found' in by ? [unknown('Lookout does not answer')] : by.filter((each) => each.check === check);
  const upstream = reported('upstream').every(({ state }) => state === 'unknown')
    ? (await ask()).said
    : reported('upstream');
  const files = versionText();
  const running = hasAnswer ? reported('versions')[0]?.found : files;
  return {
    server: () =>
      'found' in near
        ? [
            wrong(
              `Lookout runs, and ${near.found}`,
              'See Database, set HOST, PORT and SESSION_SECRET as for it, or look at its log.',
            ),
          ]
        : reported('server'),
    upstream: () => upstream,
    clock: () => reported('clock'),
    receivers: () => reported('receivers'),
    versions: () =>
      running === files
        ? [fine(files)]
        : [wrong(`${running} runs, and these files are ${files}`, 'Start Lookout again.')],
    proxy: () => {
      if (hasAnswer && read.publicOrigin === undefined && read.trustedProxies.length > 0)
        return [unknown('PUBLIC_URL is not set, so this command cannot pass the proxy', 'Open the page Health.')];
      return hasAnswer && 'found' in far ? [far] : reported('proxy', far);
    },
  };
}

function lineOf({ check, state, found, remedy }: Finding): string {
  const word = { ok: 'ok', wrong: 'WRONG', unknown: '?' }[state];
  const line = `${word.padEnd(6)}${checkTitle(check).padEnd(12)} ${found}\n`;
  return remedy === null ? line : `${line}${' '.repeat(19)}→ ${remedy}\n`;
}
