import { notFound } from 'next/navigation';
import { ApiError } from '#lib/api/error-code.ts';
import { openPageViewer } from '#lib/server/routes/page-viewer.ts';
import { runtime } from '#lib/server/runtime.ts';
import { IncidentPage } from '../../../components/incidents/incident-page.tsx';

export const metadata = { title: 'Incident · Lookout' };

interface PageProps {
  readonly params: Promise<{ readonly id: string }>;
}

export default async function Page({ params }: PageProps) {
  const { id } = await params;
  const viewer = await openPageViewer(`/incidents/${encodeURIComponent(id)}`);
  return <IncidentPage viewer={viewer} first={await incidentOf(id)} />;
}

async function incidentOf(id: string) {
  try {
    return await runtime().incidents.store.one(id);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') notFound();
    throw error;
  }
}
