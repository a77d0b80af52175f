import { adminPageViewer } from '#lib/server/routes/admin-page-viewer.ts';
import { currentViewer } from '#lib/server/routes/viewer.ts';
import { ClosedPage } from '../../../components/account/account-layout.tsx';
import { ReceiversPage } from '../../../components/receivers/receivers-page.tsx';

export const metadata = { title: 'Receivers · Lookout' };

export default async function Page() {
  const viewer = await currentViewer();
  // Without sign-in, every viewer runs this Lookout.
  if (viewer && !viewer.session) return <ReceiversPage operator={undefined} />;
  const { id, name, role, isAdmin } = await adminPageViewer('/admin/receivers');
  return isAdmin ? (
    <ReceiversPage operator={id} />
  ) : (
    <ClosedPage operator={id} name={name} role={role} title="Receivers" />
  );
}
