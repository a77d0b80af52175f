import { declareQuotaSuite } from './ports/quota-suite.fixture.ts';
import { makeQuota } from './quota.ts';

declareQuotaSuite(
  'the counters in memory',
  async (now) => {
    const quota = makeQuota(now);
    return { handles: [quota, quota], accountId: 'a' };
  },
  100,
);
