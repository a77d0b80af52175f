import { auditChoice } from '#lib/client/account/account-requests.ts';
import { adminPageViewer } from '#lib/server/routes/admin-page-viewer.ts';
import { ClosedPage } from '../../../components/account/account-layout.tsx';
import { AuditPage } from '../../../components/account/audit-page.tsx';

export const metadata = { title: 'Audit · Lookout' };

interface PageProps {
  readonly searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function Page({ searchParams }: PageProps) {
  const parameters = await searchParams;
  const choice = auditChoice(parameters);
  const query = new URLSearchParams(Object.entries(choice).filter(([, value]) => value !== ''));
  const path = `/admin/audit${query.size === 0 ? '' : `?${query}`}`;
  const { id, name, role, isAdmin, hasReceivers } = await adminPageViewer(path);
  return isAdmin ? (
    <AuditPage operator={id} hasReceivers={hasReceivers} choice={choice} />
  ) : (
    <ClosedPage operator={id} name={name} role={role} title="Audit" />
  );
}
