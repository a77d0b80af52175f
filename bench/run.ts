// npm run bench [-- NAME…]: runs the benchmarks, or those that are named. Each prints one line of JSON.
import { marks } from './marks.ts';

export type Benchmark = () => Promise<object>;

const benchmarks: Readonly<Record<string, Benchmark>> = { marks };

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(benchmarks, name));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no benchmark ${unknown.join(', ')}; there are: ${Object.keys(benchmarks).join(', ')}\n`,
  );
  process.exit(2);
}
for (const [name, benchmark] of Object.entries(benchmarks)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  process.stdout.write(`${JSON.stringify({ bench: name, ...(await benchmark()) })}\n`);
}
process.exit(0);
