// npm run doctor: examines a Lookout, whether it runs or not, and changes nothing.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  CHECK_TITLES,
  DOCTOR_CHECKS,
  type DoctorAnswer,
  doctorSummary,
  type Finding,
} from '#lib/api/operation/doctor-answer.ts';
import { commandText, isRelease } from '#lib/commands/command-text.ts';
import { isDataDirInUse } from '#lib/server/database/data-dir.ts';
import { readOnly } from '#lib/server/database/schema.ts';
import type { ReadsDatabase } from '#lib/server/doctor/database-checks.ts';
import { checksOf, clockSamples } from '#lib/server/doctor/doctor.ts';
import { type Checks, examine, fine, unknown, wrong } from '#lib/server/doctor/examine.ts';
import { folderFindings, versionFindings } from '#lib/server/doctor/machine-checks.ts';
import { clockFindings, receiverFindings } from '#lib/server/doctor/network-checks.ts';
import type { Config } from '#lib/server/settings/config.ts';
import { ReceiversReader } from '#lib/server/upstream/receivers-reader.ts';
import { localInstant } from '#lib/time/instant.ts';
import { VERSION_LINE } from '#lib/version/lookout-version.ts';
import { sizeProblems } from './backup/verify-backup.ts';
import { askPort, askProxy, askUpstream } from './doctor/ask-others.ts';
import { readStart } from './serving/start-settings.ts';
import { readCommandLine, readDataDir, readSettingsFile, stop } from './setup/command-line.ts';
import { endAfterVersion } from './setup/version-option.ts';

endAfterVersion();

const form = (args: string) => commandText('doctor', args.padEnd(16));
const usage = `${VERSION_LINE}${form('')} examines Lookout and says what to correct, while it runs or not
${form('--json')} prints what it found as JSON
  --settings FILE   reads the settings from a file such as /etc/lookout/lookout.env
  --no-request      sends no request to the upstream; otherwise one, which counts
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
  {
    settings: () =>
      problems.length === 0 ? [fine('A start accepts them')] : problems.map((problem) => wrong(problem)),
    ...(config.ok && listen.ok ? wholeChecks(config.config, listen) : restChecks()),
  },
  (error) => process.stderr.write(`A check failed: ${error instanceof Error ? error.stack : String(error)}\n`),
);
if (values.json) {
  const answer: DoctorAnswer = { as_of: new Date(nowMs).toISOString(), findings: [...findings], price: null };
  process.stdout.write(`${JSON.stringify(answer, undefined, 2)}\n`);
} else process.stdout.write(`${findings.map(lineOf).join('')}${doctorSummary(findings)}\n`);
process.exitCode = findings.some(({ state }) => state === 'wrong') ? 1 : 0;

function wholeChecks(read: Config, at: { readonly host: string; readonly port: number }): Checks {
  const reads: ReadsDatabase = (use) => readOnly(read.database, use);
  const listening = { ...at, metricsPort: read.metrics.port };
  const port = askPort(listening, isDataDirInUse(read.dataDir));
  const proxy = port.then(({ isRunning }) =>
    isRunning
      ? askProxy(read, listening, reads)
      : { said: [unknown('Lookout does not run, so it sees no request')], running: undefined },
  );
  const upstream = askUpstream(read, {
    reads,
    sends: values['no-request'] !== true,
    say: (text) => process.stderr.write(`${text}\n`),
  });
  return {
    ...checksOf({ config: read, reads, nowMs, running: undefined, problemsOf: sizeProblems }),
    server: async () => (await port).said,
    proxy: async () => (await proxy).said,
    upstream: async () => (await upstream).said,
    clock: async () => clockFindings(await clockSamples(read, reads, (await upstream).aheadMs)),
    receivers: async () => receiversSaid(read, (await port).isRunning),
    versions: async () => {
      const { running } = await proxy;
      return (await checksOf({ config: read, reads, nowMs, running }).versions?.()) ?? [];
    },
  };
}

async function receiversSaid({ receiversSocket, upstream }: Config, isRunning: boolean) {
  // Those of Lookout itself end with it.
  if (receiversSocket !== undefined && upstream.embedded && !isRunning)
    return [unknown('Lookout does not run, so nothing listens to the receivers')];
  const reader = receiversSocket && new ReceiversReader(receiversSocket, () => localInstant(Date.now()));
  return receiverFindings(reader ? await reader.read() : undefined);
}

/** With settings that a start refuses, little is known of the rest. */
function restChecks(): Checks {
  const later = () => [unknown('Examined once the settings are right')];
  const others = Object.fromEntries(
    DOCTOR_CHECKS.filter((check) => check !== 'settings').map((check) => [check, later]),
  );
  return {
    ...others,
    folder: () => folderFindings(readDataDir()),
    versions: () => versionFindings({ database: `SQLite ${process.versions.sqlite}` }),
  };
}

function lineOf({ check, state, found, remedy }: Finding): string {
  const word = { ok: 'ok', wrong: 'WRONG', unknown: '?' }[state];
  const line = `${word.padEnd(6)}${CHECK_TITLES[check].padEnd(12)} ${found}\n`;
  return remedy === null ? line : `${line}${' '.repeat(19)}→ ${remedy}\n`;
}
