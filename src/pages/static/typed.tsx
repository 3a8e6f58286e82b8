/** A field that nothing can send: it has no name, and stands in no form. The page's script reads it by its id. */
interface Props {
	readonly id: string;
	readonly label: string;
	readonly hint: string;
	readonly value?: string;
	/** How many lines a longer text has. */
	readonly rows?: number;
}

export function Typed({ id, label, hint, value, rows }: Props) {
	const shared = { id, class: 'mono', spellcheck: false, 'aria-describedby': `${id}-hint` };
	return (
		<div class="field">
			<label for={id}>{label}</label>
			{rows ? (
				<textarea {...shared} rows={rows}>
					{value}
				</textarea>
			) : (
				<input {...shared} value={value} autocomplete="off" />
			)}
			<small id={`${id}-hint`}>{hint}</small>
		</div>
	);
}
