import { Pool } from '/work/main/node_modules/undici/index.js';
import { startLookout } from '/work/main/e2e/running/running-lookout.ts';
const N = Number(process.env.N ?? 1000), SLOW = Number(process.env.SLOW ?? 500);
const lookout = await startLookout();
const pool = new Pool(lookout.url, { connections: N });
try {
  if (process.env.WARM) await (await fetch(`${lookout.url}/api/live?bbox=100,10,101,11`)).text();
  await lookout.service.breakWith({ kind: 'slow', delay_ms: SLOW });
  const t0 = performance.now();
  const all = await Promise.all(Array.from({ length: N }, async (_, i) => {
    const { body } = await pool.request({ method: 'GET', path: `/api/live?bbox=5,45,11,48&layers=rid,adsb${process.env.PAGES ? `&page=p${i}` : ''}` });
    const a: any = await body.json();
    return { ms: Math.round(performance.now() - t0), n: a.layers.adsb.records.length, rid: a.layers.rid.records.length, state: a.layers.adsb.state, next: a.next_poll_ms };
  }));
  const groups = new Map<string, number[]>();
  for (const a of all) { const k = `${a.n > 0 ? 'full' : 'empty'} ${a.state} next=${a.next >= 15000 ? '15000' : '<15000'}`; groups.set(k, [...(groups.get(k) ?? []), a.ms]); }
  for (const [k, ms] of groups) console.log(k, ms.length, 'ms', Math.min(...ms), '…', Math.max(...ms));
  console.log((await lookout.service.requests()).length, 'requests');
} finally { await pool.destroy(); await lookout.stop(); }
process.exit(0);
