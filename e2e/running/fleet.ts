// npm run fleet -- --replicas 3: several replicas of the built app behind nginx with a Redis of their own, all on this machine, to look at. Ctrl-C
// ends all of it.
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { cannotStart, startProblem } from '../../scripts/serving/start-problems.ts';
import { endOnRequest } from '../../scripts/serving/stop-request.ts';
import { installMissing } from '../../scripts/setup/debian-packages.ts';
import { prepareBasemap, prepareBuild } from '../../scripts/setup/prepare.ts';
import { endQuietRuns } from '../../scripts/setup/run-quietly.ts';
import { ROOT } from './child-process.ts';
import { type Replica, type RunningFleet, startFleet } from './running-fleet.ts';

const REPLICAS_MAX = 9;
const say = (text: string) => process.stdout.write(`${text}\n`);

const COMMANDS = `  add           starts another replica
  drain N       takes replica N out of nginx and stops it, as when it is replaced
  kill N        kills replica N, and takes it out of nginx
  pause         the store stands still
  resume        the store goes on
  flush         the store loses everything`;

let fleet: RunningFleet | undefined;
endOnRequest(async () => {
  endQuietRuns();
  await fleet?.stop();
});

const { values } = parseArgs({
  options: {
    replicas: { type: 'string', default: '3' },
    port: { type: 'string', default: process.env.PORT ?? '3000' },
  },
});
const replicas = Number(values.replicas);
if (!Number.isInteger(replicas) || replicas < 1 || replicas > REPLICAS_MAX)
  cannotStart([`--replicas must be a whole number from 1 to ${REPLICAS_MAX}`]);
const port = Number(values.port);
if (!Number.isInteger(port) || port < 1 || port > 65_535) cannotStart(['--port must be a port from 1 to 65535']);

try {
  await installMissing(['nginx', 'postgresql', 'redis-server'], say);
  await prepareBasemap(ROOT, say);
  await prepareBuild(ROOT, say);
  fleet = await startFleet({ replicas, port });
} catch (error) {
  cannotStart([startProblem(error)]);
}
say(`Lookout is at ${fleet.url}`);
say('  positions: the embedded service; everything it shows is simulated');
for (const { name, app } of fleet.replicas) say(`  ${name}: ${app.url}, process ${app.pid}`);
say(`  store: redis://127.0.0.1:${fleet.store.port}`);
say(`Type\n${COMMANDS}\nCtrl-C ends all of it.`);

const input = createInterface({ input: process.stdin });
for await (const line of input) {
  try {
    say((await obey(fleet, line.trim().split(/\s+/))) ?? `there is no such command:\n${COMMANDS}`);
  } catch (error) {
    say(String(error));
  }
}

/** @returns what was done; `undefined` for what is no command */
async function obey(running: RunningFleet, [command, number]: readonly string[]): Promise<string | undefined> {
  const named = () => {
    const replica = running.replicas.find(({ name }) => name === `replica-${number}`);
    if (!replica)
      throw new Error(`there is no replica ${number}: ${running.replicas.map(({ name }) => name).join(', ')}`);
    return replica;
  };
  const { store } = running;
  switch (command) {
    case '':
      return '';
    case 'add': {
      const { name, app }: Replica = await running.add();
      return `${name}: ${app.url}, process ${app.pid}`;
    }
    case 'drain': {
      const replica = named();
      await running.drain(replica);
      return `${replica.name} has ended`;
    }
    case 'kill': {
      const replica = named();
      await running.kill(replica);
      await running.forget(replica);
      return `${replica.name} was killed`;
    }
    case 'pause':
      store.pause();
      return 'the store stands still';
    case 'resume':
      store.resume();
      return 'the store goes on';
    case 'flush':
      store.command('FLUSHALL');
      return 'the store has lost everything';
    default:
      return undefined;
  }
}
