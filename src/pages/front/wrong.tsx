/** Pages for people for whom there is no other page: what happened, whether money is safe, what to do. */
import { Layout } from '../parts/layout.tsx';
import { Note } from '../parts/parts.tsx';
import { Languages, useSay } from '../parts/speech.tsx';

export function MissingPage() {
	const say = useSay();
	return (
		<Layout title={say('wrong.missing')} width="narrow" languages={<Languages />}>
			<h1>{say('wrong.missingHeadline')}</h1>
			<p>{say('wrong.missingNext')}</p>
			<p>
				<a href="/">{say('wrong.missingLink')}</a>
			</p>
		</Layout>
	);
}

export function FailedPage({ id }: { readonly id: string }) {
	const say = useSay();
	return (
		<Layout title={say('wrong.failed')} width="narrow">
			<h1>{say('wrong.failedHeadline')}</h1>
			<p>{say('wrong.failedNext')}</p>
			<p>{say.rich('wrong.failedId', { id: <code>{id}</code> })}</p>
		</Layout>
	);
}

interface InClear {
	readonly url: URL;
	/** Where the page begins. */
	readonly home: string;
	/** The secret that a listener may have now, and what to do about it. */
	readonly lost?: string | null;
}

/** A page that takes a session was asked for over http. */
export const InClearPage = ({ url: { hostname, port }, home, lost = null }: InClear) => (
	<Layout title="Open this page with https" width="narrow">
		<h1>Open this page with https</h1>
		<p>
			Your browser asked for it over http. There anybody on the way can read what you send and what you are shown, so
			nobody can sign in here, and no session counts. Nothing was changed.
		</p>
		{lost !== null && <Note tone="bad">{lost}</Note>}
		<p>
			{port === '' ? (
				<>
					With https it is <a href={`https://${hostname}${home}`}>{`https://${hostname}${home}`}</a>.
				</>
			) : (
				'Ask for it at the https address of this service.'
			)}{' '}
			On the machine that the service runs on, or through an SSH tunnel to it, http is enough:{' '}
			<code>{`http://localhost${port && `:${port}`}${home}`}</code>
		</p>
	</Layout>
);
