import { OutputsPage } from '#components/outputs/outputs-page.tsx';
import { openPageViewer } from '#lib/server/routes/page-viewer.ts';
import { runtime } from '#lib/server/runtime.ts';
import { ClosedPage } from '../../../components/frame/page-frame.tsx';

export const metadata = { title: 'Outputs · Lookout' };

export default async function Page() {
  const viewer = await openPageViewer('/admin/outputs');
  const { publicOrigin } = runtime().config;
  return viewer.isAdmin ? (
    <OutputsPage viewer={viewer} publicOrigin={publicOrigin} />
  ) : (
    <ClosedPage viewer={viewer} title="Outputs" />
  );
}
