import 'server-only';
import type { ConfigOf } from '#lib/api/outputs/destinations.ts';
import { noticeEvents } from '#lib/outputs/cot-events.ts';
import { attempt } from '../attempt.ts';
import type { Sender, SenderDeps } from '../sender.ts';
import { CotConnection } from './cot-connection.ts';
import { CotFeed } from './cot-feed.ts';

/** Alarms, and if chosen positions, to one TAK server. @param keyPem of the client certificate */
export function openCot(
  config: ConfigOf<'cot'>,
  keyPem: string,
  { guard, now, log, reads }: Pick<SenderDeps, 'guard' | 'now' | 'log' | 'reads'>,
): Sender {
  let logged: string | undefined;
  const connection = new CotConnection({
    config,
    keyPem,
    now,
    guard,
    random: Math.random,
    onState(state) {
      const problem = state.kind === 'lost' ? state.problem : undefined;
      if (problem !== undefined && problem !== logged) log.warn({ host: config.host, problem }, 'a TAK server is lost');
      logged = problem;
    },
  });
  const feed = config.positions && new CotFeed(reads, config.positions, connection);
  return {
    get problem() {
      const { state } = connection;
      if (state.kind === 'lost') return state.problem;
      return state.kind === 'connected' ? null : undefined;
    },
    send: (notice, signal) => attempt(signal, (within) => connection.send(noticeEvents(notice, now()), within)),
    async close() {
      feed?.close();
      await connection.close();
    },
  };
}
