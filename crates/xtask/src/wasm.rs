//! What must hold of the built engine module, so that its linear memory *is* the world and copying it is a checkpoint:
//! no imports at all, no exported table, no exported mutable global. Read from the module's own sections
//! (WebAssembly core specification, "Binary Format, Modules").

use crate::sh::Result;

/// Bytes of a module, read one after another.
struct Reader<'a> {
    data: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Result<u8> {
        let byte = *self.data.get(self.at).ok_or("the module ends in the middle of a section")?;
        self.at += 1;
        Ok(byte)
    }

    /// An unsigned LEB128 number.
    fn number(&mut self) -> Result<usize> {
        let (mut value, mut shift) = (0u64, 0);
        loop {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return usize::try_from(value).map_err(|e| e.to_string());
            }
            shift += 7;
            if shift > 63 {
                return Err("a number in the module is too long".into());
            }
        }
    }

    fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let end =
            self.at.checked_add(len).filter(|&e| e <= self.data.len()).ok_or("a section is cut short")?;
        let bytes = &self.data[self.at..end];
        self.at = end;
        Ok(bytes)
    }
}

/// Checks a built engine module; the error names the first thing that breaks the rule.
pub fn check_engine(module: &[u8]) -> Result {
    if module.get(..8) != Some(b"\0asm\x01\0\0\0") {
        return Err("not a WebAssembly module of version 1".into());
    }
    let mut reader = Reader { data: module, at: 8 };
    let mut exports = Vec::new();
    while reader.at < module.len() {
        let id = reader.byte()?;
        let len = reader.number()?;
        let mut section = Reader { data: reader.take(len)?, at: 0 };
        match id {
            2 if section.number()? > 0 => {
                let len = section.number()?;
                let module = String::from_utf8_lossy(section.take(len)?).into_owned();
                let len = section.number()?;
                let name = String::from_utf8_lossy(section.take(len)?).into_owned();
                return Err(format!("the engine module imports {module}.{name}; it must import nothing"));
            }
            7 => {
                for _ in 0..section.number()? {
                    let len = section.number()?;
                    let name = String::from_utf8_lossy(section.take(len)?).into_owned();
                    let kind = section.byte()?;
                    section.number()?;
                    match kind {
                        1 => return Err(format!("the engine module exports its table {name:?}")),
                        3 if name != "__data_end" && name != "__heap_base" => {
                            return Err(format!("the engine module exports the global {name:?}"));
                        }
                        _ => exports.push(name),
                    }
                }
            }
            _ => {}
        }
    }
    for wanted in ["memory", "alloc", "free", "call", "panic_ptr", "panic_len"] {
        if !exports.iter().any(|name| name == wanted) {
            return Err(format!("the engine module does not export {wanted:?}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check_engine;

    fn module(sections: &[(u8, &[u8])]) -> Vec<u8> {
        let mut bytes = b"\0asm\x01\0\0\0".to_vec();
        for (id, body) in sections {
            bytes.push(*id);
            bytes.push(body.len() as u8);
            bytes.extend_from_slice(body);
        }
        bytes
    }

    #[test]
    fn an_import_is_named() {
        let bytes = module(&[(2, b"\x01\x03env\x03now\x00\x00")]);
        assert_eq!(
            check_engine(&bytes).unwrap_err(),
            "the engine module imports env.now; it must import nothing"
        );
    }

    #[test]
    fn an_exported_table_is_refused() {
        let bytes = module(&[(7, b"\x01\x01t\x01\x00")]);
        assert_eq!(check_engine(&bytes).unwrap_err(), "the engine module exports its table \"t\"");
    }

    #[test]
    fn a_cut_module_is_an_error() {
        assert_eq!(check_engine(b"\0asm\x01\0\0\0\x02\x7f").unwrap_err(), "a section is cut short");
    }
}
