//! The program: it does what the command line says and turns the result into an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    onceish::cli::main()
}
