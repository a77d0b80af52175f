import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { freePort } from '#testing/free-port.ts';
import { cookieOf } from './driver/api-answers.ts';
import { iso, pastWindow } from './driver/past-window.ts';
import { expect, test } from './lookout-test.ts';
import { queriesOf, samplesAsked } from './running/prometheus-files.ts';

const METHODS = ['GET', 'POST', 'PATCH'];

function seriesOf(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

test('Prometheus reads what is spent, shown, refused and waiting; no traffic makes a series of its own, and no name or position is in it', async ({
  request,
  startOwn,
}, info) => {
  const port = await freePort();
  const token = randomBytes(24).toString('hex');
  const tokenFile = info.outputPath('metrics-token');
  writeFileSync(tokenFile, `${token}\n`);
  const lookout = await startOwn({
    operators: ['marked-anna', 'xenia'],
    service: { options: ['--allowance', '600,86400'] },
    settings: { METRICS_PORT: String(port), METRICS_TOKEN_FILE: tokenFile },
  });
  const { url, service } = lookout;
  const [anna] = lookout.operators;
  if (!anna) throw new Error('no operator');
  const address = `http://127.0.0.1:${port}/metrics`;
  const scrape = async () => {
    const answer = await request.get(address);
    expect(answer.status()).toBe(200);
    return answer.text();
  };

  await test.step('Unknown values are missing', async () => {
    const series = seriesOf(await scrape());
    expect(series.get('lookout_viewers')).toBe(0);
    expect([...series.keys()].filter((name) => name.startsWith('lookout_allowance_remaining'))).toEqual([]);
    expect([...series.keys()].filter((name) => name.startsWith('lookout_shown_age_seconds'))).toEqual([]);
  });

  const headers = { cookie: await cookieOf(request, lookout, anna), origin: url };
  const signIn = (name: string) =>
    request.post(`${url}/api/session`, { data: { name, password: 'wrong, and long enough' }, headers });
  expect((await signIn('marked-anna')).status()).toBe(401);
  const place = 'bbox=8.1234,46.9876,8.2345,47.0987';
  const live = async () =>
    (await request.get(`${url}/api/live?${place}&layers=adsb&page=marked-page`, { headers })).body();
  await live();
  await live();
  const { start, end } = pastWindow(2);
  const past = `${place}&layers=adsb&start=${iso(start)}&end=${iso(end)}`;
  for (let times = 0; times < 2; times++) await (await request.get(`${url}/api/history?${past}`, { headers })).body();
  await request.get(`${url}/api/live?bbox=nonsense`, { headers });
  await request.fetch(`${url}/api/live`, { method: 'TRACE' });

  await test.step('Requests are counted as the service counts them', async () => {
    let series: ReadonlyMap<string, number> = new Map();
    let requests: Awaited<ReturnType<typeof service.requests>> = [];
    // Both readings must be of a moment without a request.
    await expect
      .poll(async () => {
        const before = (await service.requests()).length;
        series = seriesOf(await scrape());
        requests = await service.requests();
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

  await test.step('Traffic of any kind makes no further series, and leaves no word of its own', async () => {
    const before = await scrape();
    const strange = (n: number) => [
      request.fetch(`${url}/api/marked-${n}?marked=${n}`, { method: METHODS[n % METHODS.length] ?? 'GET', headers }),
      request.get(`${url}/api/live?bbox=${n / 50},46,${n / 50 + 0.1},47&page=marked-${n}`, { headers }),
    ];
    await Promise.all(Array.from({ length: 50 }, (_, n) => strange(n)).flat());
    for (const name of ['marked', 'marked-anna', 'é']) await signIn(name);
    await service.breakWith({ kind: 'status', status: 418 });
    await service.mend();
    const after = await scrape();
    const ours = (text: string) => [...seriesOf(text).keys()].filter((name) => name.startsWith('lookout_'));
    const added = ours(after).filter(
      (name) => !ours(before).includes(name) && !name.startsWith('lookout_upstream_answer_seconds'),
    );
    expect(added.filter((name) => !name.startsWith('lookout_shown_age_seconds{layer="rid"'))).toEqual([]);
    expect(ours(after).length).toBeLessThan(250);
    for (const word of ['marked', 'anna', 'xenia', '8.1234', '46.9', '127.0.0.1', service.apiKey, token, anna.password])
      expect(after).not.toContain(word);
  });

  await test.step('Every query of the board and of the alerts asks for what there is', async () => {
    // Only with destinations or a backup, where several servers share a database, or with a service that reports its receivers.
    const rare = [
      ...['lookout_database_usable', 'lookout_writer', 'lookout_layer_reception', 'lookout_backup_seconds'],
      ...['lookout_notices_waiting', 'lookout_notices_waiting_seconds', 'lookout_notices_given_up'],
      'lookout_destination_failing',
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

  await test.step('From elsewhere it takes the token, and this machine’s port takes no foreign name', async () => {
    const withToken = (authorization: string | undefined) =>
      request.get(`${url}/metrics`, { headers: authorization === undefined ? {} : { authorization } });
    expect((await withToken(`Bearer ${token}`)).status()).toBe(200);
    expect(await (await withToken(`bearer ${token}`)).text()).toContain('lookout_build_info');
    for (const wrong of [
      undefined,
      'Bearer',
      `Bearer ${token}0`,
      `Bearer ${token.slice(1)}`,
      `Basic ${token}`,
      'Bearer é',
    ])
      expect((await withToken(wrong)).status()).toBe(401);
    const status = (path: string, method: string, host: string) =>
      new Promise((resolve, reject) => {
        const sent = plainRequest({ host: '127.0.0.1', port, path, method, headers: { host } });
        sent.once('response', (answer) => resolve(answer.resume().statusCode)).once('error', reject);
        sent.end();
      });
    expect(await status('/metrics', 'GET', 'evil.example')).toBe(403);
    expect(await status('/metrics', 'POST', `127.0.0.1:${port}`)).toBe(405);
    expect(await status('/', 'GET', `127.0.0.1:${port}`)).toBe(404);
  });
});

test('Without a token there are no metrics at the address of operators', async ({ request, sharedLookout }) => {
  expect((await request.get(`${sharedLookout.url}/metrics`, { headers: { authorization: 'Bearer x' } })).status()).toBe(
    404,
  );
});
