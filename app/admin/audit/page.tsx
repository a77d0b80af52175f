import { auditChoice } from '#lib/client/account/account-requests.ts';
import { signedInPageViewer } from '#lib/server/routes/page-viewer.ts';
import { AuditPage } from '../../../components/account/audit-page.tsx';
import { ClosedPage } from '../../../components/frame/page-frame.tsx';

export const metadata = { title: 'Audit · Lookout' };

interface PageProps {
  readonly searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function Page({ searchParams }: PageProps) {
  const parameters = await searchParams;
  const choice = auditChoice(parameters);
  const query = new URLSearchParams(Object.entries(choice).filter(([, value]) => value !== ''));
  const path = `/admin/audit${query.size === 0 ? '' : `?${query}`}`;
  const viewer = await signedInPageViewer(path);
  return viewer.isAdmin ? <AuditPage viewer={viewer} choice={choice} /> : <ClosedPage viewer={viewer} title="Audit" />;
}
