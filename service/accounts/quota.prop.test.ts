import { makeQuota } from './quota.ts';
import { declareQuotaSuite } from './quota-suite.fixture.ts';

declareQuotaSuite(
  'the counters in memory',
  async (now) => {
    return { quota: makeQuota(now), accountId: 'a' };
  },
  100,
);
