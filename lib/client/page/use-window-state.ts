'use client';

import { type Dispatch, type SetStateAction, useEffect, useState } from 'react';
import type * as z from 'zod/mini';
import { sessionStore } from '../browser/storage.ts';

/**
 * Survives a reload, and is shared with no other window.
 * @param name unique in the page
 */
export function useWindowState<T>(
  name: string,
  schema: z.core.$ZodType<T>,
  initial: T,
): readonly [T, Dispatch<SetStateAction<T>>] {
  const key = keyOf(name);
  const [value, setValue] = useState<T>(() => readWindowState(name, schema) ?? initial);
  useEffect(() => sessionStore.write(key, value), [key, value]);
  return [value, setValue];
}

function keyOf(name: string): string {
  return `lookout.window.${name}`;
}

export function readWindowState<T>(name: string, schema: z.core.$ZodType<T>): T | undefined {
  return sessionStore.read(keyOf(name), schema);
}

export function isReload(): boolean {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return navigation?.type === 'reload';
}
