// The command line of the service: `serve` runs it, and other commands administer its accounts, keys and data. Output
// goes to standard output, usage and problems go to standard error. It exits with 2 for wrong arguments, 1 for a failure.
import { commandText } from '#lib/commands/command-text.ts';
import { errorMessage } from '#lib/text/error-message.ts';
import { asksVersion, VERSION_LINE } from '#lib/version/lookout-version.ts';
import { readServeOptions } from './cli/read-serve-options.ts';
import { runFeedsCommand, runPastCommand, runStationKeyCommand } from './cli/receiver-commands.ts';
import { type CommandResult, runCommand } from './cli/run-command.ts';
import { serve } from './cli/serve.ts';
import { serviceNow } from './service-now.ts';

const USAGE = `${VERSION_LINE}Usage: ${commandText('service', 'serve [options]')}
       ${commandText('service', 'account|grant|key|audit|backup … --data DIR [--json]')}
       ${commandText('service', 'feeds --data DIR [--json]')}
       ${commandText('service', 'past delete --data DIR --before TIME [--json]')}
       ${commandText('service', 'station-key [--json]')}
       ${commandText('service', '--version')}

serve

  --port N              port to listen on, 0 for any free port (default 8787)
  --host H              address to listen on (default 127.0.0.1)
  --source S            simulator (default), or recording:FILE[,FILE…]
  --tracks A,D          aircraft and drones of the simulator (default 400,60)
  --seed N              seed of the simulated world (default 1)
  --prefix PFX          prefix of track references and cursors (default LKT)
  --allowance M,D       requests per minute and per UTC day (default 600,200000), or none: nothing is
                        counted, and answers do not say what is left
  --data DIR            serve the accounts of DIR, and keep there what outlives the service
  --feeds FILE          serve what the receivers of this file receive, in place of a source
  --receivers URL[,URL…]  the same for a list of addresses
  --keep-days N         with --data and receivers: days for which positions are kept (default 30)
  --keep-gb N           the same: gigabytes that they may take; the oldest are deleted first (no limit)
  --push-port N         listen for stations of FILE that push, on --host; 0 for any free port
  --one-key             with --data: one account with a key made at start, in place of those of DIR
  --proxies A[,A…]      believe X-Forwarded-For of these addresses or networks
  --control             also serve the fault switches, on a separate loopback port
  --exit-with-parent    stop when standard input closes
  --announce            write the name of a layer to standard output whenever its picture has changed

SERVICE_API_KEY in the environment sets the key; otherwise a random key is generated.
With --data, and without --one-key, the keys are those of the accounts.

accounts, also while a service runs; every command takes --data DIR and --json
  account add NAME --allowance M,D [--email ADDRESS]
  account list
  account set NAME [--allowance M,D] [--email ADDRESS]
  account verify NAME --code CODE
  account remove NAME
  grant request --account A --scopes SCOPES [--lookback DAYS] [--until DATE] [--company C] [--use U]
  grant approve --account A [--scopes SCOPES] [--lookback DAYS] [--until DATE] [--company C] [--use U]
  grant deny --account A [--reason R]
  grant revoke --account A [--reason R]
  key create --account A --name N [--expires DATE]
  key list [--account A]
  key rotate --account A --name N [--overlap 24h] [--expires DATE]
  key revoke --account A --name N [--old]
  audit [--account A] [--limit N]
  backup --to DIR2

feeds --data DIR [--json] shows how each receiver of a running service stands.
past delete confirms that the service may delete what it received before TIME, as far as that is older than
it keeps. It asks for this where more than a day is due at once, which a wrong clock would do as well.
station-key makes a key for a station that pushes, and what to write of it in the file of feeds.

SCOPES is a comma list of adsb.live, rid.live, adsb.history, rid.history.
`;

const [command, ...args] = process.argv.slice(2);

if (asksVersion(process.argv.slice(2))) {
  process.stdout.write(VERSION_LINE);
} else if (command === 'help' || command === '--help' || args.includes('--help')) {
  process.stderr.write(USAGE);
} else if (command === 'serve') {
  await runServe();
} else {
  await runOther();
}

async function runServe(): Promise<void> {
  const read = readServeOptions(args, process.env);
  if (!read.ok) return fail(read.problems, 2);
  try {
    await serve(read.options);
    // Open standard input would keep the process alive.
    process.exit(0);
  } catch (failure) {
    process.stderr.write(`${errorMessage(failure)}\n`);
    process.exit(1);
  }
}

async function runOther(): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader of the pipe may stop early, as `head` does.
    if (error.code === 'EPIPE') process.exit(0);
    process.stderr.write(`The output could not be written: ${error.message}\n`);
    process.exit(1);
  });
  const result = await run(command, args);
  if (result === undefined) return fail([USAGE.trimEnd()], 2);
  if (result.ok) process.stdout.write(result.output);
  else fail(result.problems, result.exitCode);
}

async function run(name: string | undefined, given: readonly string[]): Promise<CommandResult | undefined> {
  if (name === 'feeds') return runFeedsCommand(given);
  if (name === 'past') return runPastCommand(given, serviceNow());
  if (name === 'station-key') return runStationKeyCommand(given);
  return runCommand(process.argv.slice(2), serviceNow());
}

function fail(problems: readonly string[], exitCode: number): void {
  process.stderr.write(problems.map((problem) => `${problem}\n`).join(''));
  process.exitCode = exitCode;
}
