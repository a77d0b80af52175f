import { openPageViewer } from '#lib/server/routes/page-viewer.ts';
import { IncidentsPage } from '../../components/incidents/incidents-page.tsx';

export const metadata = { title: 'Incidents · Lookout' };

export default async function Page() {
  return <IncidentsPage viewer={await openPageViewer('/incidents')} />;
}
