import { readServeOptions } from './cli/read-serve-options.ts';
import { serve } from './cli/serve.ts';

const USAGE = `Usage: node service/cli.ts serve [options]

  --port N              port to listen on, 0 for any free one (default 8787)
  --host H              address to listen on (default 127.0.0.1)
  --source S            simulator (default), or recording:FILE[,FILE…]
  --tracks A,D          aircraft and drones of the simulator (default 400,60)
  --seed N              world of the simulator (default 1)
  --prefix PFX          what references and cursors begin with (default LKT)
  --allowance M,D       requests a minute and a UTC day (default 600,200000)
  --control             also run the fault switches, on a loopback port of their own
  --exit-with-parent    stop when standard input closes

SERVICE_API_KEY in the environment sets the key; otherwise a random one is made.
`;

const [command, ...args] = process.argv.slice(2);

if (command === 'help' || command === '--help' || args.includes('--help')) {
  process.stderr.write(USAGE);
} else if (command !== 'serve') {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  const read = readServeOptions(args, process.env);
  if (read.ok) {
    try {
      await serve(read.options);
      // Standard input may still be open; nothing else is left to wait for.
      process.exit(0);
    } catch (failure) {
      process.stderr.write(`${failure instanceof Error ? failure.message : String(failure)}\n`);
      process.exit(1);
    }
  } else {
    process.stderr.write(read.problems.map((problem) => `${problem}\n`).join(''));
    process.exitCode = 2;
  }
}
