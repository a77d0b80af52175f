import { readServeOptions } from './cli/read-serve-options.ts';
import { serve } from './cli/serve.ts';

const USAGE = `Usage: node service/cli.ts serve [options]

  --port N              port to listen on, 0 for any free port (default 8787)
  --host H              address to listen on (default 127.0.0.1)
  --source S            simulator (default), or recording:FILE[,FILE…]
  --tracks A,D          aircraft and drones of the simulator (default 400,60)
  --seed N              seed of the simulated world (default 1)
  --prefix PFX          prefix of track references and cursors (default LKT)
  --allowance M,D       requests per minute and per UTC day (default 600,200000)
  --control             also serve the fault switches, on a separate loopback port
  --exit-with-parent    stop when standard input closes

SERVICE_API_KEY in the environment sets the key; otherwise a random key is generated.
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
      // Standard input may still be open and would keep the process alive.
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
