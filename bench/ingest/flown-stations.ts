import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { AIRCRAFT, DRONES, type FlownTrack, phaseMs, placeAt, SPEED_MPS } from './flown-traffic.ts';

/** A station is a line of JSON for each position (a readsb), or a file that is polled (a tar1090, a DragonSync kit). */
export interface FlownStations {
  /** As in a file of feeds. */
  readonly feeds: readonly { readonly id: string; readonly url: string }[];
  /** Tracks send from the given time on, ms since 1970, a whole second, for so long. What they sent last can still be read. */
  start(startMs: number, seconds: number): void;
  /** When a station first reported a position, ms since 1970. 0 if none did: a file is read once a second, and may miss one. */
  reportedMs(track: FlownTrack, second: number): number;
  close(): void;
}

/** How far the clocks of the stations are ahead. */
const LINES_AHEAD_MS = [0, 3000];
const FILES_AHEAD_MS = [0, 200, -300];
const TICK_MS = 20;
const KNOT_MPS = 1852 / 3600;
const aircraft: readonly FlownTrack[] = Array.from({ length: AIRCRAFT }, (_, index) => ({ index, isDrone: false }));
const drones: readonly FlownTrack[] = Array.from({ length: DRONES }, (_, index) => ({ index, isDrone: true }));

/** @param withDrones whether the service has a feed for drones that are polled */
export async function startStations(withDrones: boolean): Promise<FlownStations> {
  const servers: Server[] = [];
  const feeds: { id: string; url: string }[] = [];
  let startMs = Number.POSITIVE_INFINITY;
  let endMs = Number.POSITIVE_INFINITY;

  let reported = new Float64Array(0);
  const reportOf = ({ index, isDrone }: FlownTrack, second: number) =>
    (isDrone ? AIRCRAFT + index : index) * ((endMs - startMs) / 1000) + second;
  const report: Report = (track, second) => {
    const place = reportOf(track, second);
    if (reported[place] === 0) reported[place] = Date.now();
  };

  /** The last position that a track had sent by then; undefined if none. */
  const lastSent = (track: FlownTrack, ms: number) => {
    const second = Math.floor((Math.min(ms, endMs - 1) - startMs - phaseMs(track)) / 1000);
    return second >= 0 ? { second, atMs: startMs + second * 1000 + phaseMs(track) } : undefined;
  };

  const listening = async (server: Server) => {
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };

  for (const [index, aheadMs] of LINES_AHEAD_MS.entries()) {
    const sockets = new Set<Socket>();
    const port = await listening(
      createTcpServer((socket) => {
        sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => sockets.delete(socket));
      }),
    );
    feeds.push({ id: `lines-${index}`, url: `jsonport://127.0.0.1:${port}` });
    let saidMs = Number.NaN;
    const timer = setInterval(() => {
      const nowMs = Date.now();
      const fromMs = Number.isNaN(saidMs) ? nowMs - TICK_MS : saidMs;
      saidMs = nowMs;
      let lines = '';
      for (const track of aircraft) {
        const sent = lastSent(track, nowMs);
        if (!(sent && sent.atMs > fromMs && sent.atMs < endMs)) continue;
        if (sockets.size > 0) report(track, sent.second);
        lines += `${JSON.stringify(lineOf(track, sent, aheadMs))}\n`;
      }
      for (const socket of sockets) socket.write(lines);
    }, TICK_MS);
    servers.at(-1)?.once('close', () => {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
    });
  }
  const polled = async (answer: (path: string) => object | undefined) =>
    listening(
      createHttpServer((request, response) => {
        const body = answer(request.url ?? '');
        if (body) response.end(JSON.stringify(body));
        else response.writeHead(404).end();
      }),
    );
  for (const [index, aheadMs] of FILES_AHEAD_MS.entries()) {
    const port = await polled((path) => {
      const nowMs = Date.now();
      if (path === '/tar1090/data/aircraft.json') return aircraftFile(nowMs, aheadMs, lastSent, report);
      return withDrones && path === '/drones' ? dronesAnswer(nowMs, aheadMs, lastSent, report) : undefined;
    });
    feeds.push({ id: `file-${index}`, url: `http://127.0.0.1:${port}/tar1090` });
    if (withDrones) feeds.push({ id: `kit-${index}`, url: `dragonsync+http://127.0.0.1:${port}` });
  }
  return {
    feeds,
    start(ms, seconds) {
      startMs = ms;
      endMs = ms + seconds * 1000;
      reported = new Float64Array((AIRCRAFT + DRONES) * seconds);
    },
    reportedMs: (track, second) => reported[reportOf(track, second)] ?? 0,
    close() {
      for (const server of servers) server.close();
    },
  };
}

interface Sent {
  readonly second: number;
  readonly atMs: number;
}
type Report = (track: FlownTrack, second: number) => void;
type LastSent = (track: FlownTrack, ms: number) => Sent | undefined;

function rowOf(track: FlownTrack, { second }: Sent) {
  const hex = (0x3c_0000 + track.index).toString(16);
  const gs = Math.round((SPEED_MPS.aircraft / KNOT_MPS) * 10) / 10;
  return {
    hex,
    type: 'adsb_icao',
    flight: 'BENCH',
    alt_baro: 34_000,
    alt_geom: 34_500,
    gs,
    track: 90,
    squawk: '1000',
    ...placeAt(track, second),
    nic: 8,
    rc: 186,
    messages: 1234,
    rssi: -20.1,
  };
}

function lineOf(track: FlownTrack, sent: Sent, aheadMs: number): object {
  return { now: (sent.atMs + aheadMs) / 1000, ...rowOf(track, sent), seen: 0, seen_pos: 0 };
}

function aircraftFile(nowMs: number, aheadMs: number, lastSent: LastSent, report: Report): object {
  const rows = aircraft.flatMap((track) => {
    const sent = lastSent(track, nowMs);
    if (sent) report(track, sent.second);
    return sent ? [{ ...rowOf(track, sent), seen: 0.1, seen_pos: (nowMs - sent.atMs) / 1000 }] : [];
  });
  return { now: (nowMs + aheadMs) / 1000, messages: 1, aircraft: rows };
}

function dronesAnswer(nowMs: number, aheadMs: number, lastSent: LastSent, report: Report): object {
  const rows = drones.flatMap((track) => {
    const sent = lastSent(track, nowMs);
    if (!sent) return [];
    report(track, sent.second);
    const id = `drone-1581F${track.index.toString().padStart(15, '0')}`;
    return [
      {
        track_type: 'drone',
        id,
        id_type: 'Serial Number (ANSI/CTA-2063-A)',
        ...placeAt(track, sent.second),
        speed: SPEED_MPS.drone,
        direction: 90,
        alt: 520,
        height: 80,
        observed_at: (sent.atMs + aheadMs) / 1000,
      },
    ];
  });
  return { drones: rows };
}
