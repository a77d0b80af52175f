import { coldReads } from '../collapse.ts';
import { signedIn } from '../signed-in.ts';
import { withThreeServers } from './three-servers.ts';

export function bench(): Promise<object> {
  return withThreeServers({ operators: ['ada'] }, async ({ url, operators, servers, service }) => {
    const cookie = await signedIn(url, operators[0]);
    const urls = servers.map((server) => server.url);
    return coldReads(300, service, urls, { cookie });
  });
}
