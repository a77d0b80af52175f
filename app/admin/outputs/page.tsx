import { OutputsPage } from '#components/outputs/outputs-page.tsx';
import { adminPageViewer } from '#lib/server/routes/admin-page-viewer.ts';
import { currentViewer } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';
import { ClosedPage } from '../../../components/account/account-layout.tsx';

export const metadata = { title: 'Outputs · Lookout' };

export default async function Page() {
  const viewer = await currentViewer();
  const { receivers, config } = runtime();
  const { publicOrigin } = config;
  // Without sign-in, every viewer runs this Lookout.
  if (viewer && !viewer.session)
    return <OutputsPage operator={undefined} hasReceivers={receivers !== undefined} publicOrigin={publicOrigin} />;
  const { id, name, role, isAdmin, hasReceivers } = await adminPageViewer('/admin/outputs');
  return isAdmin ? (
    <OutputsPage operator={id} hasReceivers={hasReceivers} publicOrigin={publicOrigin} />
  ) : (
    <ClosedPage operator={id} name={name} role={role} title="Outputs" />
  );
}
