import 'server-only';
import { redirect } from 'next/navigation';
import type { PageViewer } from '#lib/api/people/page-viewer.ts';
import { roleMay } from '#lib/api/people/permission.ts';
import type { SignedInOperator } from '#lib/api/people/session-messages.ts';
import { formatInstant } from '#lib/time/instant.ts';
import { LOOKOUT_VERSION } from '#lib/version/lookout-version.ts';
import { runtime } from '../runtime.ts';
import { currentViewer, type Viewer } from './viewer.ts';

/** Without sign-in, every viewer runs this Lookout. */
export function pageViewer({ operator, session, needs }: Viewer): PageViewer {
  const { receivers, clock } = runtime();
  const isLimited = needs !== undefined;
  return {
    operator: session && operator,
    isAdmin: !isLimited && roleMay(operator.role, 'administer'),
    isLimited,
    hasReceivers: receivers !== undefined,
    asOf: formatInstant(clock.now()),
    version: LOOKOUT_VERSION,
  };
}

/** @param path to return to after signing in */
export async function openPageViewer(path: string): Promise<PageViewer> {
  const viewer = await currentViewer();
  if (!viewer) redirect(`/sign-in?${new URLSearchParams({ next: path })}`);
  if (viewer.needs) redirect('/account');
  return pageViewer(viewer);
}

/** Of a page that only sign-in gives a meaning. */
export async function signedInPageViewer(path: string): Promise<PageViewer & { readonly operator: SignedInOperator }> {
  const { operator, ...viewer } = await openPageViewer(path);
  if (!operator) redirect('/');
  return { ...viewer, operator };
}
