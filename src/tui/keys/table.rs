//! The table of keys.

use super::Key;
use crate::tui::panel::Panel;

/// Where a key has its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Context {
    /// Everywhere, also in text fields.
    Always,
    /// On every screen, outside text fields and choosers.
    Screen,
    /// While a run is shown.
    Run,
    /// While two runs are compared, before what the keys mean in one.
    Compare,
    /// While a recording is played, before what the keys mean in a run.
    Replay,
    /// At home, where sandbox, labs and recordings are listed.
    Home,
    /// On the pages of a lesson.
    Lesson,
    /// While the run of a lab is shown, before what the keys mean in a run.
    LabRun,
    /// In the presenter.
    Presenter,
    /// In the palette.
    Palette,
    /// In a field that asks for one text.
    Field,
    /// In a chooser.
    Chooser,
    /// On the help screen.
    Help,
}

impl Context {
    /// Where the key works, in the words of the manual.
    pub const fn place(self) -> &'static str {
        match self {
            Context::Always => "everywhere",
            Context::Screen => "every screen",
            Context::Run => "run",
            Context::Compare => "compare",
            Context::Replay => "replay",
            Context::Home => "home",
            Context::Lesson => "lesson",
            Context::LabRun => "run of a lab",
            Context::Presenter => "presenter",
            Context::Palette => "palette",
            Context::Field => "text field",
            Context::Chooser => "chooser",
            Context::Help => "help",
        }
    }
}

/// In which column of the help screen a key is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shelf {
    /// Faults.
    Faults,
    /// Policy, jobs and view.
    Policy,
    /// Time and looking.
    Time,
    /// What one screen alone has: a replay, home.
    Own,
    /// Below the columns, one after the other.
    General,
    /// None.
    Nowhere,
}

/// Which way to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// One up.
    Up,
    /// One down.
    Down,
    /// One to the left, or back in time.
    Left,
    /// One to the right, or on in time.
    Right,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// To the first.
    Home,
    /// To the last.
    End,
}

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the table says what each does")]
pub enum Command {
    Quit,
    Interrupt,
    Suspend,
    Repaint,
    Out,
    In,
    Help,
    Palette,
    Filter,
    NextPanel,
    PreviousPanel,
    Focus(Panel),
    Move(Direction),
    StopGo,
    Step,
    StepBack,
    Faster,
    Slower,
    PreviousMark,
    NextMark,
    NextAnomaly,
    PreviousAnomaly,
    GoTo,
    Follow,
    Wider,
    Finer,
    Mark,
    Again,
    Jump,
    Kill,
    KillAt,
    Stall,
    Sleep,
    CutQueue,
    CutSink,
    Restart,
    FaultAgain,
    FaultMenu,
    Heal,
    HealAll,
    Dedup,
    Ack,
    Change,
    Enqueue,
    EnqueueMany,
    PoisonFail,
    PoisonCrash,
    Redrive,
    Explain,
    Truth,
    ToStart,
    ToEnd,
    Section(usize),
    Present,
    Next,
    Previous,
    OpenRun,
    Complete,
    Older,
    Newer,
    Clear,
}

impl Command {
    /// True for what only moves: a held key may repeat it.
    pub fn moves(self) -> bool {
        use Command::{NextAnomaly, NextMark, NextPanel, PreviousAnomaly, PreviousMark, PreviousPanel};
        matches!(
            self,
            Command::Move(_) | NextPanel | PreviousPanel | NextAnomaly | PreviousAnomaly | NextMark | PreviousMark
        )
    }

    /// True for what changes what becomes of jobs.
    pub fn acts(self) -> bool {
        use Command::{Ack, Change, Dedup, Enqueue, EnqueueMany, PoisonCrash, PoisonFail, Redrive};
        use Command::{CutQueue, CutSink, FaultAgain, FaultMenu, Heal, HealAll, Kill, KillAt, Restart, Sleep, Stall};
        let fault = matches!(
            self,
            Kill | KillAt | Stall | Sleep | CutQueue | CutSink | Restart | FaultAgain | FaultMenu | Heal | HealAll
        );
        fault || matches!(self, Dedup | Ack | Change | Enqueue | EnqueueMany | PoisonFail | PoisonCrash | Redrive)
    }

    /// True where a second press undoes the first or strikes another: a key that is held must not do it twice.
    pub fn strikes(self) -> bool {
        use Command::{CutQueue, CutSink, Kill, Sleep, Stall};
        matches!(self, Kill | Stall | Sleep | CutQueue | CutSink)
    }
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct KeyBinding {
    /// The keys, as written for people.
    pub key: &'static str,
    /// What they do.
    pub does: &'static str,
    /// Where they do it.
    pub context: Context,
    /// The keys as pressed, with the command of each.
    pub presses: &'static [(Key, Command)],
    /// The column of the help screen.
    pub shelf: Shelf,
    /// The words of the help screen.
    pub help: &'static str,
    /// True where the help screen tells this key in the row of the one before.
    pub joins: bool,
    /// The words of the footer, with the key; empty where no footer has it.
    pub hint: &'static str,
}

/// Every key, in the order in which they are listed for people.
pub fn table() -> &'static [KeyBinding] {
    TABLE
}

const fn row(
    context: Context,
    key: &'static str,
    presses: &'static [(Key, Command)],
    does: &'static str,
) -> KeyBinding {
    KeyBinding { key, does, context, presses, shelf: Shelf::Nowhere, help: "", joins: false, hint: "" }
}

impl KeyBinding {
    const fn on(mut self, shelf: Shelf, help: &'static str) -> KeyBinding {
        self.shelf = shelf;
        self.help = help;
        self
    }

    const fn joined(mut self, shelf: Shelf, help: &'static str) -> KeyBinding {
        self.joins = true;
        self.on(shelf, help)
    }

    const fn hint(mut self, hint: &'static str) -> KeyBinding {
        self.hint = hint;
        self
    }
}

use Context::{Always, Chooser, Compare, Field, Help, Palette, Replay, Run, Screen};
use Key::{BackTab, Char, Ctrl, Down, End, Enter, Esc, Home, Left, PageDown, PageUp, Right, Tab, Up};
use Shelf::{Faults, General, Own, Policy, Time};

#[rustfmt::skip]
const TABLE: &[KeyBinding] = &[
    row(Screen, "q", &[(Char('q'), Command::Quit)],
        "leaves this screen; from the last one, the program")
        .on(General, "leave this screen").hint("q quit"),
    row(Always, "ctrl-c", &[(Ctrl('c'), Command::Interrupt)],
        "quits from anywhere; again: without draining").on(General, "quit"),
    row(Always, "ctrl-z", &[(Ctrl('z'), Command::Suspend)], "suspends, with time stopped").on(General, "suspend"),
    row(Always, "ctrl-l", &[(Ctrl('l'), Command::Repaint)], "repaints").on(General, "repaint"),
    row(Screen, "esc", &[(Esc, Command::Out)], "comes out one layer")
        .on(General, "go out").hint("esc close"),
    row(Screen, "enter", &[(Enter, Command::In)], "goes in: zoom, row, choice")
        .on(General, "go in").hint("enter zoom"),
    row(Screen, "?", &[(Char('?'), Command::Help)], "help").hint("? help"),
    row(Screen, ":", &[(Char(':'), Command::Palette)], "palette: any action, completed")
        .on(General, "any action").hint(": palette"),
    row(Screen, "tab shift-tab", &[(Tab, Command::NextPanel), (BackTab, Command::PreviousPanel)],
        "next, previous panel")
        .on(General, "panel").hint("tab panel"),
    row(Screen, "1-6", &[
            (Char('1'), Command::Focus(Panel::Workers)), (Char('2'), Command::Focus(Panel::Timeline)),
            (Char('3'), Command::Focus(Panel::Program)), (Char('4'), Command::Focus(Panel::Dead)),
            (Char('5'), Command::Focus(Panel::Log)), (Char('6'), Command::Focus(Panel::Rates)),
        ], "1 workers 2 timeline 3 program 4 dead letters 5 log 6 rates").on(General, "panel"),
    row(Screen, "arrows h j k l", &[
            (Up, Command::Move(Direction::Up)), (Char('k'), Command::Move(Direction::Up)),
            (Down, Command::Move(Direction::Down)), (Char('j'), Command::Move(Direction::Down)),
            (Left, Command::Move(Direction::Left)), (Char('h'), Command::Move(Direction::Left)),
            (Right, Command::Move(Direction::Right)), (Char('l'), Command::Move(Direction::Right)),
        ], "move; left and right are time in the timeline")
        .on(General, "move").hint("hjkl move"),
    row(Screen, "pgup pgdn home end", &[
            (PageUp, Command::Move(Direction::PageUp)), (PageDown, Command::Move(Direction::PageDown)),
            (Home, Command::Move(Direction::Home)), (End, Command::Move(Direction::End)),
        ], "move by pages, to the first, to the last"),

    row(Run, "x", &[(Char('x'), Command::Kill)], "kills the selected worker now")
        .on(Faults, "kill now").hint("x kill"),
    row(Run, "X", &[(Char('X'), Command::KillAt)],
        "kills it at a gap: asks for the gap's letter; X X takes it back")
        .on(Faults, "kill at a gap").hint("X kill at"),
    row(Run, "s", &[(Char('s'), Command::Stall)], "stalls its heartbeats; the same key heals")
        .on(Faults, "stall heartbeats").hint("s stall"),
    row(Run, "z", &[(Char('z'), Command::Sleep)], "puts it to sleep (pause); the same key heals")
        .on(Faults, "put to sleep").hint("z sleep"),
    row(Run, "p", &[(Char('p'), Command::CutQueue)], "cuts it off from the queue; the same key heals")
        .on(Faults, "cut queue").hint("p cut queue"),
    row(Run, "P", &[(Char('P'), Command::CutSink)], "cuts it off from the sink; the same key heals")
        .joined(Faults, "sink").hint("P cut sink"),
    row(Run, "r", &[(Char('r'), Command::Restart)], "restarts a dead worker now")
        .on(Faults, "restart").hint("r restart"),
    row(Run, "f", &[(Char('f'), Command::FaultAgain)], "the last fault again, on the selected worker")
        .on(Faults, "last fault again").hint("f repeat fault"),
    row(Run, "F", &[(Char('F'), Command::FaultMenu)], "all faults, with hang, slow and lost messages")
        .on(Faults, "hang, slow, all").hint("F more"),
    row(Run, "u", &[(Char('u'), Command::Heal)], "heals this worker")
        .on(Faults, "heal this").hint("u heal"),
    row(Run, "U", &[(Char('U'), Command::HealAll)], "heals all workers").joined(Faults, "all"),

    row(Run, "d", &[(Char('d'), Command::Dedup)], "how duplicates are recognised: a chooser")
        .on(Policy, "dedup ...").hint("d dedup"),
    row(Run, "a", &[(Char('a'), Command::Ack)], "ack before or after the work")
        .on(Policy, "ack before/after").hint("a ack"),
    row(Run, "c", &[(Char('c'), Command::Change)],
        "changes the rest: lease, renewal, tries, order, fence, key, lost lease")
        .on(Policy, "lease, tries ...").hint("c change"),
    row(Run, "e", &[(Char('e'), Command::Enqueue)], "enqueues one job")
        .on(Policy, "enqueue 1").hint("e enqueue"),
    row(Run, "E", &[(Char('E'), Command::EnqueueMany)], "enqueues jobs: asks how many").joined(Policy, "n"),
    row(Run, "b", &[(Char('b'), Command::PoisonFail)], "enqueues a poisonous job that always fails")
        .on(Policy, "poison: fails"),
    row(Run, "B", &[(Char('B'), Command::PoisonCrash)], "enqueues a poisonous job that kills its worker")
        .joined(Policy, "dies"),
    row(Run, "R", &[(Char('R'), Command::Redrive)], "redrives dead letters: asks one or all")
        .on(Policy, "redrive ...").hint("R redrive"),
    row(Screen, "/", &[(Char('/'), Command::Filter)], "filters the focused list")
        .on(Policy, "filter").hint("/ filter"),
    row(Run, "t", &[(Char('t'), Command::Truth)], "hides the truth, shows it again")
        .on(Policy, "truth on/off").hint("t truth"),
    row(Run, "m", &[(Char('m'), Command::Mark)], "sets a mark here").on(Policy, "set a mark"),

    row(Run, "space", &[(Char(' '), Command::StopGo)], "stops time, lets it go")
        .on(Time, "stop, go").hint("space stop"),
    row(Run, ".", &[(Char('.'), Command::Step)], "one event on; stops time first")
        .on(Time, "step on").hint(". , step"),
    row(Run, ",", &[(Char(','), Command::StepBack)], "one event back: the run in virtual time, else the view")
        .joined(Time, "back"),
    row(Run, "+", &[(Char('+'), Command::Faster), (Char('='), Command::Faster)], "faster").on(Time, "speed"),
    row(Run, "-", &[(Char('-'), Command::Slower)], "slower").joined(Time, ""),
    row(Run, "(", &[(Char('('), Command::PreviousMark), (Char('['), Command::PreviousMark)],
        "to the previous mark").on(Time, "mark"),
    row(Run, ")", &[(Char(')'), Command::NextMark), (Char(']'), Command::NextMark)], "to the next mark")
        .joined(Time, ""),
    row(Run, "n", &[(Char('n'), Command::NextAnomaly)], "to the next anomaly")
        .on(Time, "anomaly").hint("n anomaly"),
    row(Run, "N", &[(Char('N'), Command::PreviousAnomaly)], "to the previous anomaly").joined(Time, ""),
    row(Run, "i", &[(Char('i'), Command::Explain)], "explains the selected job")
        .on(Time, "why this job").hint("i why"),
    row(Run, "w", &[(Char('w'), Command::Wider)], "the timeline shows more time")
        .on(Time, "wider").hint("w W zoom"),
    row(Run, "W", &[(Char('W'), Command::Finer)], "the timeline shows finer time").joined(Time, "finer"),
    row(Run, "g", &[(Char('g'), Command::GoTo)], "goes to a time or percent: asks").on(Time, "go to"),
    row(Run, "G", &[(Char('G'), Command::Follow)], "follows now again").joined(Time, "follow").hint("G follow"),
    row(Run, "J", &[(Char('J'), Command::Jump)], "jumps the clock to the next moment at which anything is due")
        .on(Time, "jump to next due"),
    row(Run, "ctrl-r", &[(Ctrl('r'), Command::Again)], "starts again: same seed, same set-up")
        .on(Time, "start again"),

    row(Compare, "tab shift-tab", &[(Tab, Command::NextPanel), (BackTab, Command::PreviousPanel)], "the other side")
        .on(General, "the other side").hint("tab side"),
    row(Compare, "n", &[(Char('n'), Command::NextAnomaly)], "to the next job whose fate differs")
        .on(Time, "job that differs").hint("n next difference"),
    row(Compare, "N", &[(Char('N'), Command::PreviousAnomaly)], "to the previous job whose fate differs")
        .joined(Time, ""),
    row(Compare, "enter i", &[(Enter, Command::In), (Char('i'), Command::Explain)],
        "one job on both sides: the one that differs, else the selected worker's")
        .on(Time, "job on both").hint("enter one job on both sides"),
    row(Compare, "x s z p", &[
            (Char('x'), Command::Kill), (Char('s'), Command::Stall), (Char('z'), Command::Sleep),
            (Char('p'), Command::CutQueue),
        ], "faults hit both sides, and so does all else that is done")
        .hint("x s z p faults hit both"),
    row(Compare, "d a c t / 1-6", &[
            (Char('d'), Command::Dedup), (Char('a'), Command::Ack), (Char('c'), Command::Change),
            (Char('t'), Command::Truth), (Char('/'), Command::Filter),
            (Char('1'), Command::Focus(Panel::Workers)), (Char('2'), Command::Focus(Panel::Timeline)),
            (Char('3'), Command::Focus(Panel::Program)), (Char('4'), Command::Focus(Panel::Dead)),
            (Char('5'), Command::Focus(Panel::Log)), (Char('6'), Command::Focus(Panel::Rates)),
        ], "nothing here: policies and truth are what is compared, and there is one panel a side")
        .on(General, "not here"),

    row(Replay, "space", &[(Char(' '), Command::StopGo)], "stops time, lets it go")
        .on(Own, "stop, go").hint("space stop"),
    row(Replay, ", .", &[(Char(','), Command::StepBack), (Char('.'), Command::Step)],
        "one event back, one event on; stops time first")
        .on(Own, "one event back, on").hint(", . step"),
    row(Replay, "( )", &[
            (Char('('), Command::PreviousMark), (Char('['), Command::PreviousMark),
            (Char(')'), Command::NextMark), (Char(']'), Command::NextMark),
        ], "to the previous, the next mark: what was marked or done, and deaths; time stands there")
        .on(Own, "mark, deed, death").hint("( ) mark"),
    row(Replay, "n N", &[(Char('n'), Command::NextAnomaly), (Char('N'), Command::PreviousAnomaly)],
        "to the next, the previous anomaly of the whole recording; time stands there")
        .on(Own, "anomaly").hint("n N anomaly"),
    row(Replay, "+ -", &[
            (Char('+'), Command::Faster), (Char('='), Command::Faster), (Char('-'), Command::Slower),
        ], "faster, slower").on(Own, "speed").hint("+ - speed"),
    row(Replay, "g", &[(Char('g'), Command::GoTo)], "goes to a time or percent: asks").on(Own, "go to").hint("g go to"),
    row(Replay, "home end", &[(Home, Command::ToStart), (End, Command::ToEnd)], "to its start, to its end")
        .on(Own, "start, end").hint("home end"),
    row(Replay, "J", &[(Char('J'), Command::Jump)], "to the next moment at which anything happens")
        .on(Own, "next moment"),
    row(Replay, "G", &[(Char('G'), Command::Follow)], "the timeline follows again").on(Time, "follow again"),
    row(Replay, "ctrl-r", &[(Ctrl('r'), Command::Again)], "plays from the start again").on(Own, "play again"),
    row(Replay, "tab shift-tab", &[(Tab, Command::NextPanel), (BackTab, Command::PreviousPanel)],
        "next, previous panel").on(General, "panel").hint("tab panels"),
    row(Replay, "q", &[(Char('q'), Command::Quit)], "leaves the replay").on(General, "leave").hint("q leave"),

    row(Context::Home, "enter", &[(Enter, Command::In)], "starts, resumes or replays what is selected")
        .on(Own, "start, resume, replay").hint("enter start"),
    row(Context::Home, "v", &[(Char('v'), Command::Present)], "presents the selected lab")
        .on(Own, "present the lab").hint("v present"),
    row(Context::Home, "/", &[(Char('/'), Command::Filter)], "filters the focused list")
        .on(Own, "filter the list").hint("/ filter"),
    row(Context::Home, "tab shift-tab", &[(Tab, Command::NextPanel), (BackTab, Command::PreviousPanel)],
        "next, previous section").on(Own, "section").hint("tab section"),
    row(Context::Home, "1-3", &[
            (Char('1'), Command::Section(0)), (Char('2'), Command::Section(1)), (Char('3'), Command::Section(2)),
        ], "1 sandbox 2 labs 3 recordings").on(Own, "1 sandbox 2 labs 3 recordings"),
    row(Context::Home, "up down k j", &[
            (Up, Command::Move(Direction::Up)), (Char('k'), Command::Move(Direction::Up)),
            (Down, Command::Move(Direction::Down)), (Char('j'), Command::Move(Direction::Down)),
        ], "choose").on(Own, "choose").hint("up down choose"),
    row(Context::Home, "pgup pgdn home end", &[
            (PageUp, Command::Move(Direction::PageUp)), (PageDown, Command::Move(Direction::PageDown)),
            (Home, Command::Move(Direction::Home)), (End, Command::Move(Direction::End)),
        ], "choose by pages, the first, the last").on(Own, "by pages, first, last"),
    row(Context::Lesson, "enter", &[(Enter, Command::In)], "answers; goes on to the next step").hint("enter next"),
    row(Context::Lesson, "right left", &[
            (Right, Command::Next), (Char('l'), Command::Next), (Left, Command::Previous), (Char('h'), Command::Previous),
        ], "to the next page, to the page before").hint("left back"),
    row(Context::Lesson, "a to d, up down", &[(Up, Command::Move(Direction::Up)), (Down, Command::Move(Direction::Down)),
            (Char('k'), Command::Move(Direction::Up)), (Char('j'), Command::Move(Direction::Down))],
        "choose an answer by its letter, or with enter; elsewhere the arrows scroll").hint("up down scroll"),
    row(Context::Lesson, "pgup pgdn home end", &[
            (PageUp, Command::Move(Direction::PageUp)), (PageDown, Command::Move(Direction::PageDown)),
            (Home, Command::Move(Direction::Home)), (End, Command::Move(Direction::End)),
        ], "scroll by pages, to the top, to the end"),
    row(Context::Lesson, "esc", &[(Esc, Command::Out)], "lets go of the field, and all keys are back; enter takes it again")
        .hint("esc let go of the field"),
    row(Context::Lesson, "ctrl-u", &[(Ctrl('u'), Command::Clear)], "clears the field").hint("ctrl-u clear"),
    row(Context::Lesson, "o", &[(Char('o'), Command::OpenRun)], "opens the run of the lab in the sandbox")
        .hint("o open this run"),
    row(Context::Lesson, "i", &[(Char('i'), Command::Explain)], "explains the first job that came to harm").hint("i why"),
    row(Context::Lesson, "v", &[(Char('v'), Command::Present)], "presents the lab").hint("v present"),
    row(Context::Lesson, "ctrl-r", &[(Ctrl('r'), Command::Again)], "the lab again, from its first page").hint("ctrl-r again"),
    row(Context::Lesson, "?", &[(Char('?'), Command::Help)], "these keys").hint("? help"),
    row(Context::Lesson, "q", &[(Char('q'), Command::Quit)], "leaves the lesson").hint("q leave"),

    row(Context::LabRun, "enter", &[(Enter, Command::In)],
        "opens the lesson again while the run goes on; once it is over, what came of it").hint("enter open the lesson"),
    row(Context::LabRun, "v", &[(Char('v'), Command::Present)], "presents the lab").hint("v present"),
    row(Context::LabRun, "q", &[(Char('q'), Command::Quit)], "leaves the lesson, or the look at its run").hint("q leave"),

    row(Context::Presenter, "space", &[
            (Char(' '), Command::Next), (Right, Command::Next), (PageDown, Command::Next), (Enter, Command::Next),
            (Char('l'), Command::Next), (Down, Command::Next),
        ], "next step, or the answer; right, pgdn and enter too").hint("space next"),
    row(Context::Presenter, "left", &[
            (Left, Command::Previous), (PageUp, Command::Previous), (Char('h'), Command::Previous),
            (Up, Command::Previous), (Key::Backspace, Command::Previous),
        ], "the step before; pgup too").hint("left back"),
    row(Context::Presenter, "home end", &[
            (Home, Command::Move(Direction::Home)), (End, Command::Move(Direction::End)),
        ], "the first step, the last"),
    row(Context::Presenter, "t", &[(Char('t'), Command::Truth)], "hides the figures, shows them again").hint("t truth"),
    row(Context::Presenter, "f", &[(Char('f'), Command::FaultAgain)], "the last fault again").hint("f fault again"),
    row(Context::Presenter, "v", &[(Char('v'), Command::Present)], "the whole sandbox at this moment, and back")
        .hint("v sandbox"),
    row(Context::Presenter, "ctrl-r", &[(Ctrl('r'), Command::Again)], "resets: same seed, first step")
        .hint("ctrl-r reset"),
    row(Context::Presenter, "?", &[(Char('?'), Command::Help)], "these keys").hint("?"),
    row(Context::Presenter, "q", &[(Char('q'), Command::Quit)], "leaves the presenter; asks").hint("q leave"),

    row(Palette, "tab", &[(Tab, Command::Complete)], "completes").hint("tab complete"),
    row(Palette, "up down", &[(Up, Command::Move(Direction::Up)), (Down, Command::Move(Direction::Down))],
        "choose").hint("up down choose"),
    row(Palette, "ctrl-p", &[(Ctrl('p'), Command::Older), (Ctrl('n'), Command::Newer)],
        "history").hint("ctrl-p history"),
    row(Palette, "enter", &[(Enter, Command::In)], "runs the line").hint("enter run"),
    row(Palette, "ctrl-u", &[(Ctrl('u'), Command::Clear)], "clears the line"),
    row(Palette, "esc", &[(Esc, Command::Out)], "closes the palette").hint("esc close"),

    row(Field, "enter", &[(Enter, Command::In)], "takes the text").hint("enter takes it"),
    row(Field, "ctrl-u", &[(Ctrl('u'), Command::Clear)], "clears the text").hint("ctrl-u clear"),
    row(Field, "esc", &[(Esc, Command::Out)], "keeps things as they are").hint("esc keep"),

    row(Chooser, "enter", &[(Enter, Command::In)], "chooses the row, as its letter does")
        .hint("enter or letter chooses"),
    row(Chooser, "up down", &[(Up, Command::Move(Direction::Up)), (Down, Command::Move(Direction::Down))],
        "move"),
    row(Chooser, "left right", &[(Left, Command::Move(Direction::Left)), (Right, Command::Move(Direction::Right))],
        "change the row's figure").hint("left right change"),
    row(Chooser, "esc", &[(Esc, Command::Out)], "keeps things as they are").hint("esc keep"),

    row(Help, "esc", &[(Esc, Command::Out), (Char('q'), Command::Out), (Char('?'), Command::Out)], "closes help")
        .hint("esc close"),
    row(Help, "up down", &[
            (Up, Command::Move(Direction::Up)), (Down, Command::Move(Direction::Down)),
            (Char('k'), Command::Move(Direction::Up)), (Char('j'), Command::Move(Direction::Down)),
            (PageUp, Command::Move(Direction::PageUp)), (PageDown, Command::Move(Direction::PageDown)),
            (Home, Command::Move(Direction::Home)), (End, Command::Move(Direction::End)),
        ], "scroll").hint("up down scroll"),
    row(Help, "/", &[(Char('/'), Command::Filter)], "filters help").hint("/ filter"),
];
