import { createServer } from 'node:http';
import { listen } from '../http/listen.ts';
import { readsbRow } from './parsers/readsb-row.fixture.ts';

export interface MovingAircraftOptions {
  readonly count?: number;
  readonly clockErrorMs?: number;
  readonly change?: Readonly<Record<string, unknown>>;
}

const FROM_MS = Date.now();

/** A tar1090 whose aircraft fly east at 206 m/s, north of 47° and from 8° east. Two servers show the same traffic. */
export async function startMovingAircraft({ count = 12, clockErrorMs = 0, change = {} }: MovingAircraftOptions = {}) {
  let isDown = false;

  function aircraftJson(): string {
    const atMs = Math.floor(Date.now() / 500) * 500;
    const aircraft = Array.from({ length: count }, (_, index) =>
      readsbRow({
        hex: (0x3c_60_00 + index).toString(16),
        flight: `TEST${100 + index}`,
        gs: 400,
        track: 90,
        lat: 47 + index / 10,
        lon: Number((8 + ((atMs - FROM_MS) / 3_600_000) * 9.77).toFixed(6)),
        seen_pos: (Date.now() - atMs) / 1000,
        ...change,
      }),
    );
    return JSON.stringify({ now: (Date.now() + clockErrorMs) / 1000, messages: 1, aircraft });
  }

  const server = createServer((request, response) => {
    if (isDown) response.writeHead(502).end('<html>Bad Gateway</html>');
    else if (request.url === '/tar1090/data/aircraft.json') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(aircraftJson());
    } else response.writeHead(404).end();
  });
  const origin = await listen(server, '127.0.0.1', 0);
  return {
    url: `${origin}/tar1090`,
    setDown(down: boolean) {
      isDown = down;
    },
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
