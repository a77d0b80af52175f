import { expect, test } from 'vitest';
import { eventually } from '#testing/eventually.ts';
import { Work } from '../work/work.ts';
import { WORK } from '../work/work-table.ts';
import { queryRoute } from './route.ts';
import { refusalIn, signedInRoutes } from './signed-in-routes.fixture.ts';
import { streamResponse } from './stream-response.ts';

let work: Work;
const request = signedInRoutes(
  { vic: 'viewer', bea: 'operator' },
  {
    get work() {
      return work;
    },
  },
);

const PATH = '/api/overview/coverage';
const AT_MOST = WORK.overview.running + WORK.overview.waiting;

/** A route that answers when the test ends it. */
function heldRoute(answer: () => Response) {
  work = new Work();
  const ends: (() => void)[] = [];
  const route = queryRoute('view', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    ends.push(resolve);
    await promise;
    return answer();
  });
  /** Ends the request that started as the `index`th, once it runs. */
  const end = async (index: number) => {
    await eventually(() => expect(ends.length).toBeGreaterThan(index), 1);
    ends[index]?.();
  };
  const entered = (counts: ReturnType<Work['counts']>) =>
    eventually(() => expect(work.counts('overview')).toEqual(counts), 1);
  return { route, ends, end, entered };
}

test('an operator’s requests run one by one, what is too much is refused, and another operator is next', async () => {
  const { route, ends, end, entered } = heldRoute(() => Response.json({}));
  const own = Array.from({ length: AT_MOST }, () => route(request('GET', PATH, 'vic')));
  await entered({ running: 1, waiting: AT_MOST - 1 });
  expect(await refusalIn(await route(request('GET', PATH, 'vic')))).toEqual([429, 'too_much_work']);
  const other = route(request('GET', PATH, 'bea'));
  await entered({ running: 2, waiting: AT_MOST - 1 });
  await end(0);
  await end(1);
  expect((await other).status).toBe(200);
  expect(ends.length).toBeLessThanOrEqual(3);
  for (let next = 2; next <= AT_MOST; next++) await end(next);
  expect((await Promise.all(own)).map(({ status }) => status)).toEqual(own.map(() => 200));
});

test('a request whose client has gone leaves the queue', async () => {
  const { route, ends, end, entered } = heldRoute(() => Response.json({}));
  const first = route(request('GET', PATH, 'vic'));
  const gone = new AbortController();
  const left = route(new Request(request('GET', PATH, 'vic'), { signal: gone.signal }));
  await entered({ running: 1, waiting: 1 });
  gone.abort();
  expect((await left).status).toBe(499);
  expect(work.counts('overview')).toEqual({ running: 1, waiting: 0 });
  await end(0);
  await first;
  expect([work.counts('overview'), ends.length]).toEqual([{ running: 0, waiting: 0 }, 1]);
});

test('a long answer keeps its place until it is read or left, and a short one does not', async () => {
  const { route, ends, end } = heldRoute(() => Response.json('x'.repeat(200_000)));
  for (const isRead of [true, false]) {
    const answer = route(request('GET', PATH, 'vic'));
    await end(ends.length);
    const long = await answer;
    expect(work.counts('overview').running).toBe(1);
    if (isRead) expect(await long.json()).toHaveLength(200_000);
    else await long.body?.cancel();
    expect(work.counts('overview').running).toBe(0);
  }
  const short = heldRoute(() => Response.json('x', { status: 201 }));
  const answer = short.route(request('GET', PATH, 'vic'));
  await short.end(0);
  expect((await answer).status).toBe(201);
  expect(work.counts('overview').running).toBe(0);
});

test('a client that does not read keeps no other operator from making an answer', async () => {
  work = new Work();
  const route = queryRoute('view', async (call) =>
    streamResponse(call, {}, async function* () {
      yield Buffer.from('one');
      yield Buffer.from('two');
    }),
  );
  const slow = await route(request('GET', PATH, 'vic'));
  const reader = slow.body?.getReader();
  await reader?.read();
  expect(work.counts('overview').running).toBe(1);
  expect(await (await route(request('GET', PATH, 'bea'))).text()).toBe('onetwo');
  await reader?.cancel();
});
