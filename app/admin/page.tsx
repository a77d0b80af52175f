import { adminPageViewer } from '#lib/server/routes/admin-page-viewer.ts';
import { ClosedPage } from '../../components/account/account-layout.tsx';
import { PeoplePage } from '../../components/account/people-page.tsx';

export const metadata = { title: 'People · Lookout' };

export default async function Page() {
  const { id, name, role, isAdmin, hasReceivers } = await adminPageViewer('/admin');
  return isAdmin ? (
    <PeoplePage operator={id} hasReceivers={hasReceivers} />
  ) : (
    <ClosedPage operator={id} name={name} role={role} title="People" />
  );
}
