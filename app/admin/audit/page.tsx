import { AuditPage } from '#components/account/audit-page.tsx';
import { ClosedPage } from '#components/account/closed-page.tsx';
import { auditChoice } from '#lib/client/account/audit-query.ts';
import { adminPageViewer } from '#lib/server/routes/admin-page-viewer.ts';

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
