/**
 * Buttons of the console, by the role of who is signed in: one whose command the operator Worker would refuse is not shown,
 * and a sentence names it.
 */
import { type Child, createContext, useContext } from 'hono/jsx';
import { mayRun } from '../../operator/roles.ts';
import type { CommandPath } from '../../operator/topics/table.ts';
import type { Role } from '../../partners/partner.ts';
import { Go } from '../parts/parts.tsx';
import { addressOf, type Command, commandOf, type Query } from './commands.ts';
import { actionText } from './todo.ts';

/** Outside the console's frame nobody has a role: `view` has the fewest buttons. */
const Here = createContext<Role>('view');

export const InRole = ({ role, children }: { readonly role: Role; readonly children: Child }) => (
	<Here.Provider value={role}>{children}</Here.Provider>
);

const useRole = (): Role => useContext(Here);

export function useMay(): (command: Command) => boolean {
	const role = useRole();
	return ({ path, declaration }) => mayRun(role, path, declaration.reads === true);
}

interface IfMayProps {
	readonly path: CommandPath;
	readonly else?: Child;
	readonly children: Child;
}

export const IfMay = ({ path, else: other, children }: IfMayProps) => (
	<>{useMay()(commandOf(path)) ? children : other}</>
);

/** A button. Without a command it leads to a page that everybody may read. */
export interface Action {
	readonly text: string;
	readonly address: string;
	readonly command?: Command;
	readonly main?: boolean;
}

export function actionOf(path: CommandPath, query: Query = {}, text?: string): Action {
	const command = commandOf(path);
	return { command, address: addressOf(path, query), text: text ?? actionText(command) };
}

export function Actions({ actions }: { readonly actions: readonly Action[] }) {
	const may = useMay();
	const shown = actions.filter(({ command }) => !command || may(command));
	const others = actions.filter((action) => !shown.includes(action));
	return (
		<>
			{shown.length > 0 && (
				<p class="row">
					{shown.map(({ address, text, main }) => (
						<Go to={address} text={text} main={main === true} />
					))}
				</p>
			)}
			<Withheld what={others.map(({ text }) => `“${text}”`).join(', ')} />
		</>
	);
}

/** `what`: the buttons that are not there; none where it is empty. */
export function Withheld({ what }: { readonly what: string }) {
	const role = useRole();
	return what === '' ? null : <p class="small soft">{`Not for your role, ${role}: ${what}. Ask an admin.`}</p>;
}
