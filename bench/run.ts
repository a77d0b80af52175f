// npm run bench [-- NAME…]: runs the named benchmarks, or all of them. Each prints one line of JSON.
import { beacon } from './beacon.ts';
import { collapse } from './collapse.ts';
import { fairLoads } from './fair-loads.ts';
import { fairPlaces } from './fair-places.ts';
import { firstPicture } from './first-picture.ts';
import { flood } from './flood.ts';
import { frames } from './frames.ts';
import { fusion } from './fusion.ts';
import { historyWire } from './history-wire.ts';
import { ingest } from './ingest.ts';
import { keys } from './keys.ts';
import { kills } from './kills.ts';
import { killsService } from './kills-service.ts';
import { load } from './load.ts';
import { pacing } from './pacing.ts';
import { plan } from './plan.ts';
import { read } from './read.ts';
import { scrub } from './scrub.ts';
import { segments } from './segments.ts';
import { serversCollapse } from './servers-collapse.ts';
import { serversEconomy } from './servers-economy.ts';
import { serversKills } from './servers-kills.ts';
import { serversPostgres } from './servers-postgres.ts';
import { serversRolling } from './servers-rolling.ts';
import { serversViews } from './servers-views.ts';
import { serviceHistory } from './service-history.ts';
import { simulatedDay } from './simulated-day.ts';
import { soak } from './soak.ts';
import { split } from './split.ts';
import { tabDay } from './tab-day.ts';
import { trails } from './trails.ts';
import { wire } from './wire.ts';
import { workbench } from './workbench.ts';
import { bench as zones } from './zones.ts';
import { zurich } from './zurich.ts';

export type Benchmark = () => Promise<object>;

const benchmarks: Readonly<Record<string, Benchmark>> = {
  plan,
  beacon,
  pacing,
  'fair-places': fairPlaces,
  kills,
  keys,
  'kills-service': killsService,
  zurich,
  zones,
  collapse,
  'servers-collapse': serversCollapse,
  'servers-economy': serversEconomy,
  'servers-kills': serversKills,
  'servers-postgres': serversPostgres,
  'servers-rolling': serversRolling,
  'servers-views': serversViews,
  wire,
  read,
  flood,
  soak,
  fusion,
  ingest,
  'fair-loads': fairLoads,
  split,
  frames,
  'history-wire': historyWire,
  'service-history': serviceHistory,
  segments,
  'simulated-day': simulatedDay,
  scrub,
  'first-picture': firstPicture,
  load,
  workbench,
  trails,
  'tab-24h': tabDay,
};

const selected = process.argv.slice(2);
const unknown = selected.filter((name) => !Object.hasOwn(benchmarks, name));
if (unknown.length > 0) {
  process.stderr.write(`Unknown benchmark ${unknown.join(', ')}: use ${Object.keys(benchmarks).join(', ')}\n`);
  process.exit(2);
}
for (const [name, benchmark] of Object.entries(benchmarks)) {
  if (selected.length > 0 && !selected.includes(name)) continue;
  process.stdout.write(`${JSON.stringify({ bench: name, ...(await benchmark()) })}\n`);
}
process.exit(0);
