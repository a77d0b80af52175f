'use client';

import { useQuery } from '@tanstack/react-query';
import type { AllowanceStatus } from '../status/allowance-status.ts';
import { type StatusError, statusQuery } from '../status/status-query.ts';
import { useLookout } from './lookout-context.tsx';

export interface ReportedStatus {
  readonly status: AllowanceStatus | undefined;
  readonly failure: StatusError | undefined;
}

/** @param enabled whether to poll while the tab is visible; otherwise the last status ages */
export function useStatus(enabled: boolean): ReportedStatus {
  const { feed } = useLookout();
  const { data, error } = useQuery({ ...statusQuery('/api/status', () => feed.now()), enabled });
  return { status: data ?? undefined, failure: error ?? undefined };
}
