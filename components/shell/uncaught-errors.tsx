'use client';

import { useEffect } from 'react';
import { reportUncaughtErrors } from '#lib/client/page-errors/page-errors.ts';

export function UncaughtErrors() {
  useEffect(() => reportUncaughtErrors(window), []);
  return null;
}
