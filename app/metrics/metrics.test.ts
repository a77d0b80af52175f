import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ask } from '#testing/api-requests.ts';
import { freePort } from '#testing/free-port.ts';
import { type LookoutHere, startLookoutHere } from '#testing/lookout-here.ts';
import { iso, pastWindow } from '#testing/past-window.ts';
import { queriesOf, samplesAsked } from '#testing/prometheus-files.ts';

const METHODS = ['GET', 'POST', 'PATCH'];

function seriesOf(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

describe('Prometheus reads what is spent, shown, refused and waiting', () => {
  const token = randomBytes(24).toString('hex');
  const folder = mkdtempSync(join(tmpdir(), 'lookout-metrics-'));
  const tokenFile = join(folder, 'metrics-token');
  const place = 'bbox=8.1234,46.9876,8.2345,47.0987';
  let port: number;
  let lookout: LookoutHere;
  let atStart: ReadonlyMap<string, number>;
  let headers: Readonly<Record<string, string>>;

  const scrape = async () => {
    const answer = await ask(`http://127.0.0.1:${port}/metrics`);
    expect(answer.status).toBe(200);
    return answer.text;
  };
  const get = (path: string) => ask(`${lookout.url}${path}`, { headers });
  const signIn = (name: string) =>
    ask(`${lookout.url}/api/session`, { method: 'POST', headers, body: { name, password: 'wrong, and long enough' } });

  beforeAll(async () => {
    port = await freePort();
    writeFileSync(tokenFile, `${token}\n`);
    lookout = await startLookoutHere({
      operators: ['marked-anna', 'xenia'],
      service: { options: ['--allowance', '600,86400'] },
      settings: { METRICS_PORT: String(port), METRICS_TOKEN_FILE: tokenFile },
      staysInDay: true,
    });
    atStart = seriesOf(await scrape());
    headers = { cookie: await lookout.signIn('marked-anna'), origin: lookout.url };
    expect((await signIn('marked-anna')).status).toBe(401);
    for (let times = 0; times < 2; times++) await get(`/api/live?${place}&layers=adsb&page=marked-page`);
    const { start, end } = pastWindow(2);
    const past = `${place}&layers=adsb&start=${iso(start)}&end=${iso(end)}`;
    for (let times = 0; times < 2; times++) await get(`/api/history?${past}`);
    await get('/api/live?bbox=nonsense');
    await ask(`${lookout.url}/api/live`, { method: 'TRACE' });
  });
  afterAll(async () => {
    await lookout.stop();
    rmSync(folder, { recursive: true });
  });

  test('Unknown values are missing', () => {
    expect(atStart.get('lookout_viewers')).toBe(0);
    expect([...atStart.keys()].filter((name) => name.startsWith('lookout_allowance_remaining'))).toEqual([]);
    expect([...atStart.keys()].filter((name) => name.startsWith('lookout_shown_age_seconds'))).toEqual([]);
  });

  test('Requests are counted as the service counts them', async () => {
    let series: ReadonlyMap<string, number> = new Map();
    let requests: ReturnType<typeof lookout.service.requests> = [];
    // Both readings must be of a moment without a request.
    await expect
      .poll(async () => {
        const before = lookout.service.requests().length;
        series = seriesOf(await scrape());
        requests = lookout.service.requests();
        const left = series.get('lookout_allowance_remaining{window="day"}');
        return requests.length === before && left === 86_400 - before;
      })
      .toBe(true);
    const past = requests.filter(({ operation }) => operation.startsWith('history')).length;
    const spent = [...series].filter(([name]) => name.startsWith('lookout_spent_total'));
    const spentFor = (purpose: string) =>
      spent.filter(([name]) => name.includes(`"${purpose}"`)).reduce((sum, [, value]) => sum + value, 0);
    expect(spentFor('history')).toBe(past);
    expect(series.get('lookout_spent_total{purpose="history",role="operator"}')).toBe(past);
    expect(spentFor('first-view') + spentFor('scheduled')).toBe(requests.length - past);
    const answered = series.get('lookout_upstream_answer_seconds_count{mode="history",answer="200"}');
    expect(answered).toBe(past);
    expect(series.get('lookout_viewers')).toBe(1);
    expect(series.get('lookout_planned_areas{layer="adsb",read="yes"}')).toBe(1);
    expect(series.get('lookout_shown_age_seconds{layer="adsb",of="worst"}')).toBeLessThan(60);
    expect(series.get('lookout_live_reads_total')).toBe(2);
    expect(series.get('lookout_refreshes_total{result="complete"}')).toBeGreaterThan(0);
    expect(series.get('lookout_history_parts_total{source="upstream"}')).toBe(past);
    expect(series.get('lookout_kept_bytes{what="past"}')).toBeGreaterThan(0);
    // So small a place may have no trails.
    expect(series.get('lookout_kept_bytes{what="trails"}')).toBeDefined();
    expect(series.get('lookout_loads_total{outcome="complete"}')).toBe(2);
    expect(series.get('lookout_loads{state="running"}')).toBe(0);
    expect(series.get('lookout_sessions')).toBe(1);
    expect(series.get('lookout_sign_ins_total{method="password",result="signed_in"}')).toBe(1);
    expect(series.get('lookout_sign_ins_total{method="password",result="not_accepted"}')).toBe(1);
    expect(series.get('lookout_refusals_total{code="bad_query"}')).toBe(1);
    expect(series.get('lookout_refusals_total{code="method_not_allowed"}')).toBe(1);
    expect(series.get('lookout_refusals_total{code="internal"}')).toBe(0);
    expect(series.get('process_resident_memory_bytes')).toBeGreaterThan(50_000_000);
    expect(series.get('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  });

  test('Traffic of any kind makes no further series, and leaves no word of its own', async () => {
    const before = await scrape();
    const strange = (n: number) => [
      ask(`${lookout.url}/api/marked-${n}?marked=${n}`, { method: METHODS[n % METHODS.length] ?? 'GET', headers }),
      get(`/api/live?bbox=${n / 50},46,${n / 50 + 0.1},47&page=marked-${n}`),
    ];
    await Promise.all(Array.from({ length: 50 }, (_, n) => strange(n)).flat());
    for (const name of ['marked', 'marked-anna', 'é']) await signIn(name);
    lookout.service.breakWith({ kind: 'status', status: 418 });
    lookout.service.mend();
    const after = await scrape();
    const ours = (text: string) => [...seriesOf(text).keys()].filter((name) => name.startsWith('lookout_'));
    // Absent until known: their labels are none of the traffic's.
    const ofState = [
      'upstream_answer_seconds',
      'shown_age_seconds{layer="rid"',
      'part_done_seconds',
      'allowance_remaining',
    ];
    const isOfState = (name: string) => ofState.some((each) => name.startsWith(`lookout_${each}`));
    expect(ours(after).filter((name) => !ours(before).includes(name) && !isOfState(name))).toEqual([]);
    expect(ours(after).length).toBeLessThan(250);
    for (const word of [
      'marked',
      'anna',
      'xenia',
      '8.1234',
      '46.9',
      '127.0.0.1',
      lookout.service.apiKey,
      token,
      lookout.operator('marked-anna').password,
    ])
      expect(after).not.toContain(word);
  });

  test('Every query of the board and of the alerts asks for what there is', async () => {
    // Only with destinations or a backup, where several servers share a database, or with a service that reports its receivers.
    const rare = [
      ...['lookout_database_usable', 'lookout_writer', 'lookout_layer_reception', 'lookout_backup_seconds'],
      ...['lookout_notices_waiting', 'lookout_notices_waiting_seconds', 'lookout_notices_given_up'],
      'lookout_destination_failing',
      'lookout_receivers',
    ];
    const scraped = await scrape();
    const helped = [...scraped.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name);
    const names = new Map<string, Set<string>>();
    for (const series of seriesOf(scraped).keys()) {
      const [name = '', labels = ''] = series.split('{');
      const known = names.get(name) ?? new Set(['job', 'instance']);
      for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label);
      names.set(name, known);
    }
    const queries = queriesOf();
    expect(queries.length).toBeGreaterThan(30);
    for (const { where, query } of queries) {
      for (const { metric, labels } of samplesAsked(query)) {
        if (metric === 'up') continue;
        const known = names.get(metric);
        expect(
          known !== undefined || (rare.includes(metric) && helped.includes(metric)),
          `${metric}, of ${where}`,
        ).toBe(true);
        for (const label of labels)
          if (known) expect([...known], `${label} of ${metric}, of ${where}`).toContain(label);
      }
    }
  });

  test('From elsewhere it takes the token, and this machine’s port takes no foreign name', async () => {
    const withToken = (authorization: string | undefined) =>
      ask(`${lookout.url}/metrics`, { headers: authorization === undefined ? {} : { authorization } });
    expect((await withToken(`Bearer ${token}`)).status).toBe(200);
    expect((await withToken(`bearer ${token}`)).text).toContain('lookout_build_info');
    for (const wrong of [
      undefined,
      'Bearer',
      `Bearer ${token}0`,
      `Bearer ${token.slice(1)}`,
      `Basic ${token}`,
      'Bearer é',
    ])
      expect((await withToken(wrong)).status).toBe(401);
    const status = async (path: string, method: string, host: string) =>
      (await ask(`http://127.0.0.1:${port}${path}`, { method, headers: { host } })).status;
    expect(await status('/metrics', 'GET', 'evil.example')).toBe(403);
    expect(await status('/metrics', 'POST', `127.0.0.1:${port}`)).toBe(405);
    expect(await status('/', 'GET', `127.0.0.1:${port}`)).toBe(404);
  });
});

test('Without a token there are no metrics at the address of operators', async () => {
  const lookout = await startLookoutHere();
  onTestFinished(lookout.stop);
  expect((await ask(`${lookout.url}/metrics`, { headers: { authorization: 'Bearer x' } })).status).toBe(404);
});
