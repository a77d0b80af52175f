// npm run servers -- --servers 3: several servers behind nginx with their own PostgreSQL. Ctrl-C ends all of it.
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { cannotStart, endOnRequest, startProblem } from '../../scripts/serving/server-program.ts';
import { installMissing } from '../../scripts/setup/debian-packages.ts';
import { prepareBasemap, prepareBuild } from '../../scripts/setup/prepare.ts';
import { endQuietRuns } from '../../scripts/setup/run-quietly.ts';
import { ROOT } from './child-process.ts';
import { type RunningServers, startServers } from './running-servers.ts';

const SERVERS_MAX = 9;
const say = (text: string) => process.stdout.write(`${text}\n`);

const COMMANDS = `  writer        names the writer
  replace N     stops server N as an upgrade would, and starts it again
  kill N        kills server N
  start N       starts server N again
  stop          stops PostgreSQL as a crash would
  up            starts PostgreSQL again
  failover      stops PostgreSQL as a crash would, and promotes its standby`;

let running: RunningServers | undefined;
endOnRequest(async () => {
  endQuietRuns();
  await running?.stop();
});

const { values } = parseArgs({
  options: {
    servers: { type: 'string', default: '3' },
    port: { type: 'string', default: process.env.PORT ?? '3000' },
  },
});
const count = Number(values.servers);
if (!Number.isInteger(count) || count < 1 || count > SERVERS_MAX)
  cannotStart([`--servers must be a whole number from 1 to ${SERVERS_MAX}`]);
const port = Number(values.port);
if (!Number.isInteger(port) || port < 1 || port > 65_535) cannotStart(['--port must be a port from 1 to 65535']);

try {
  await installMissing(['nginx', 'postgresql'], say);
  await prepareBasemap(ROOT, say);
  await prepareBuild(ROOT, say);
  running = await startServers({ servers: count, port, hasStandby: true });
} catch (error) {
  cannotStart([startProblem(error)]);
}
const [operator] = running.operators;
say(`Lookout is at ${running.url}: sign in as ${operator?.name}, password ${operator?.password}`);
say('  positions: the embedded service; everything it shows is simulated');
for (const { name, url, app } of running.servers) say(`  ${name}: ${url}, process ${app.pid}`);
say(`  database: ${running.database.url}`);
say(`Type\n${COMMANDS}\nCtrl-C ends all of it.`);

for await (const line of createInterface({ input: process.stdin })) {
  try {
    say((await obey(running, line.trim().split(/\s+/))) ?? `there is no such command:\n${COMMANDS}`);
  } catch (error) {
    say(String(error));
  }
}

async function obey(all: RunningServers, [command, number]: readonly string[]): Promise<string | undefined> {
  const named = () => {
    const server = all.servers.find(({ name }) => name === `server-${number}`);
    if (!server) throw new Error(`there is no server ${number}: ${all.servers.map(({ name }) => name).join(', ')}`);
    return server;
  };
  switch (command) {
    case '':
      return '';
    case 'writer': {
      const { fence, writer } = await all.writerLease();
      return `${writer.name}, turn ${fence}`;
    }
    case 'replace': {
      const server = named();
      await all.stopServer(server);
      await all.start(server);
      return `${server.name} runs as process ${server.app.pid}`;
    }
    case 'kill':
      await all.kill(named());
      return `server-${number} was killed`;
    case 'start':
      await all.start(named());
      return `server-${number} runs`;
    case 'stop':
      all.database.stop();
      return 'PostgreSQL is stopped';
    case 'up':
      all.database.start();
      return 'PostgreSQL runs';
    case 'failover':
      all.database.failOver();
      return 'the standby is the primary';
    default:
      return undefined;
  }
}
